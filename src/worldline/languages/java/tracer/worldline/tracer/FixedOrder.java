package worldline.tracer;

import java.lang.reflect.Field;

/**
 * Makes the order of `Set.of` and `Map.of` the same in every execution.
 *
 * <p>The JDK chooses it at random when a JVM starts. Only iterations depend on it.
 */
final class FixedOrder {
    private FixedOrder() {}

    static void apply() {
        try {
            Class<?> collections = Class.forName("java.util.ImmutableCollections");
            set(collections.getDeclaredField("SALT32L"), "putLong", long.class, 0L);
            set(collections.getDeclaredField("REVERSE"), "putBoolean", boolean.class, true);
        } catch (ReflectiveOperationException | RuntimeException error) {
            // A JDK without these fields keeps its own order.
        }
    }

    private static void set(Field field, String method, Class<?> type, Object value)
            throws ReflectiveOperationException {
        Class<?> unsafe = Class.forName("jdk.internal.misc.Unsafe");
        Object instance = unsafe.getMethod("getUnsafe").invoke(null);
        Object base = unsafe.getMethod("staticFieldBase", Field.class).invoke(instance, field);
        Object offset = unsafe.getMethod("staticFieldOffset", Field.class).invoke(instance, field);
        unsafe.getMethod(method, Object.class, long.class, type).invoke(instance, base, offset, value);
    }
}
