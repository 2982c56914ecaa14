package worldline.tracer;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.temporal.Temporal;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Values as text, without executing code of the program: fields are read, and only methods of the JDK's
 * own classes are called.
 */
final class Renderer {
    private static final int MAX_DEPTH = 40;
    /** Methods that give the items of a collection; a class that has its own is shown by its fields. */
    private static final Set<String> ITEMS = Set.of("iterator", "entrySet", "toArray", "getKey", "getValue", "size");
    /** The package of a library whose tuples are values: Pair, Triplet, … */
    private static final String TUPLES = "org.javatuples.";
    private static final ClassLoader PLATFORM = ClassLoader.getPlatformClassLoader();

    private final int maxChars;
    private final Map<Class<?>, List<Field>> fields = new HashMap<>();
    private final Set<Object> open = Collections.newSetFromMap(new IdentityHashMap<>());
    private StringBuilder out;

    /** Stops the rendering of a value that is too long. */
    private static final class TooLong extends RuntimeException {
        private static final long serialVersionUID = 1;

        TooLong() {
            super(null, null, false, false);
        }
    }

    private static final TooLong TOO_LONG = new TooLong();

    Renderer(int maxChars) {
        this.maxChars = maxChars;
    }

    /** Whether a value can never change. */
    static boolean isConstant(Object value) {
        return value == null || value instanceof String || value instanceof Number && isJdk(value.getClass())
                && !(value instanceof AtomicInteger) && !(value instanceof AtomicLong)
                || value instanceof Boolean || value instanceof Character;
    }

    String render(Object value) {
        out = new StringBuilder();
        open.clear();
        try {
            write(value, 0);
        } catch (TooLong error) {
            // What was written before is shown.
        } catch (RuntimeException error) {
            // Another thread changes the value.
            return "<unrenderable: " + error.getClass().getSimpleName() + ">";
        }
        if (out.length() <= maxChars) return out.toString();
        if (value instanceof String text && text.length() > maxChars) {
            return out.substring(0, maxChars) + "… <cut: " + (text.length() + 2) + " characters>";
        }
        return out.substring(0, maxChars) + "… <cut: more than " + maxChars + " characters>";
    }

    private Renderer put(String text) {
        out.append(text);
        if (out.length() > maxChars) throw TOO_LONG;
        return this;
    }

    private void write(Object value, int depth) {
        if (value == null) {
            put("null");
        } else if (value instanceof String text) {
            quote(text.length() > maxChars ? text.substring(0, maxChars) : text, '"');
        } else if (value instanceof Character c) {
            quote(String.valueOf(c), '\'');
        } else if (value instanceof Boolean || value instanceof Integer || value instanceof Long
                || value instanceof Double || value instanceof Float || value instanceof Short
                || value instanceof Byte || value.getClass() == BigInteger.class) {
            put(value.toString());
        } else if (value instanceof Enum<?> constant) {
            put(name(constant.getDeclaringClass())).put(".").put(constant.name());
        } else if (value instanceof Class<?> type) {
            put(name(type)).put(".class");
        } else if (depth >= MAX_DEPTH) {
            put("<deep>");
        } else if (!open.add(value)) {
            put("<circular>");
        } else {
            writeObject(value, depth + 1);
            open.remove(value);
        }
    }

    private void writeObject(Object value, int depth) {
        Class<?> type = value.getClass();
        if (type.isArray()) {
            writeArray(value, depth);
        } else if (value instanceof Throwable error) {
            writeError(error, depth);
        } else if (type.isHidden() || type.getName().contains("$$Lambda")) {
            put("<lambda>");
        } else if (value instanceof Map<?, ?> map && !hasOwnItems(type)) {
            writeMap(map, depth);
        } else if (value instanceof Collection<?> items && !hasOwnItems(type)) {
            writeItems(value instanceof Set ? "Set[" : "[", items, depth);
        } else if (value instanceof Map.Entry<?, ?> entry && !hasOwnItems(type)) {
            writeEntry(entry, depth);
        } else if (isJdk(type)) {
            writeKnown(value, depth);
        } else if (type.getName().startsWith(TUPLES)) {
            writeTuple(value, type, depth);
        } else if (type.isRecord()) {
            writeFields(value, recordFields(type), "[", "]", depth);
        } else {
            writeFields(value, instanceFields(type), "{", "}", depth);
        }
    }

    static boolean isJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == PLATFORM;
    }

    /** Whether a class of the program has its own methods for its items. */
    private static boolean hasOwnItems(Class<?> type) {
        for (Class<?> each = type; each != null && !isJdk(each); each = each.getSuperclass()) {
            for (java.lang.reflect.Method method : each.getDeclaredMethods()) {
                if (ITEMS.contains(method.getName())) return true;
            }
        }
        return false;
    }

    private void writeArray(Object array, int depth) {
        put("[");
        int length = Array.getLength(array);
        for (int i = 0; i < length; i++) {
            if (i > 0) put(", ");
            write(Array.get(array, i), depth);
        }
        put("]");
    }

    private void writeItems(String start, Iterable<?> items, int depth) {
        put(start);
        boolean isFirst = true;
        for (Object each : items) {
            if (!isFirst) put(", ");
            isFirst = false;
            write(each, depth);
        }
        put("]");
    }

    private void writeMap(Map<?, ?> map, int depth) {
        put("{");
        boolean isFirst = true;
        for (Map.Entry<?, ?> each : map.entrySet()) {
            if (!isFirst) put(", ");
            isFirst = false;
            writeEntry(each, depth);
        }
        put("}");
    }

    private void writeEntry(Map.Entry<?, ?> entry, int depth) {
        write(entry.getKey(), depth);
        put("=");
        write(entry.getValue(), depth);
    }

    private void writeError(Throwable error, int depth) {
        put("new ").put(name(error.getClass())).put("(");
        String message = isJdk(error.getClass()) ? error.getMessage() : ownMessage(error);
        if (message != null) write(message, depth);
        put(")");
    }

    /** The message of an exception of the program, whose methods are not called. */
    private static String ownMessage(Throwable error) {
        try {
            Field field = Throwable.class.getDeclaredField("detailMessage");
            field.setAccessible(true);
            return (String) field.get(error);
        } catch (ReflectiveOperationException problem) {
            return null;
        }
    }

    /** A value of a class of the JDK that is not a collection. */
    private void writeKnown(Object value, int depth) {
        if (value instanceof CharSequence && (value instanceof StringBuilder || value instanceof StringBuffer)) {
            CharSequence text = (CharSequence) value;
            construction(value, text.subSequence(0, Math.min(text.length(), maxChars)).toString(), depth);
        } else if (value instanceof BigDecimal) {
            construction(value, value.toString(), depth);
        } else if (value instanceof AtomicInteger || value instanceof AtomicLong) {
            construction(value, ((Number) value).longValue(), depth);
        } else if (value instanceof AtomicBoolean flag) {
            construction(value, flag.get(), depth);
        } else if (value instanceof AtomicReference<?> reference) {
            construction(value, reference.get(), depth);
        } else if (value instanceof Optional<?> optional) {
            optional("Optional", optional.isPresent() ? new Object[] {optional.get()} : new Object[0], depth);
        } else if (value instanceof OptionalInt optional) {
            optional("OptionalInt", optional.stream().boxed().toArray(), depth);
        } else if (value instanceof OptionalLong optional) {
            optional("OptionalLong", optional.stream().boxed().toArray(), depth);
        } else if (value instanceof OptionalDouble optional) {
            optional("OptionalDouble", optional.stream().boxed().toArray(), depth);
        } else if (value instanceof Temporal || value instanceof UUID) {
            put(name(value.getClass())).put("(").put(value.toString()).put(")");
        } else {
            put("<").put(name(value.getClass())).put(">");
        }
    }

    private void construction(Object value, Object argument, int depth) {
        put("new ").put(name(value.getClass())).put("(");
        write(argument, depth);
        put(")");
    }

    private void optional(String name, Object[] items, int depth) {
        if (items.length == 0) {
            put(name).put(".empty");
            return;
        }
        put(name).put("[");
        write(items[0], depth);
        put("]");
    }

    private void writeFields(Object value, List<Field> shown, String start, String end, int depth) {
        put(name(value.getClass())).put(start);
        boolean isFirst = true;
        for (Field field : shown) {
            if (!isFirst) put(", ");
            isFirst = false;
            put(field.getName()).put("=");
            try {
                write(field.get(value), depth);
            } catch (IllegalAccessException error) {
                put("<unreadable>");
            }
        }
        put(end);
    }

    /** A tuple: its fields val0, val1, … */
    private void writeTuple(Object value, Class<?> type, int depth) {
        put(name(type)).put("[");
        boolean isFirst = true;
        for (Field field : instanceFields(type)) {
            if (!field.getName().startsWith("val") || field.getName().startsWith("value")) continue;
            if (!isFirst) put(", ");
            isFirst = false;
            try {
                write(field.get(value), depth);
            } catch (IllegalAccessException error) {
                put("<unreadable>");
            }
        }
        put("]");
    }

    private List<Field> recordFields(Class<?> type) {
        return fields.computeIfAbsent(type, key -> {
            List<Field> result = new ArrayList<>();
            for (RecordComponent each : key.getRecordComponents()) {
                try {
                    Field field = key.getDeclaredField(each.getName());
                    field.setAccessible(true);
                    result.add(field);
                } catch (NoSuchFieldException error) {
                    throw new IllegalStateException(error);
                }
            }
            return result;
        });
    }

    /** The fields of an instance, those of the base class first. */
    private List<Field> instanceFields(Class<?> type) {
        return fields.computeIfAbsent(type, key -> {
            Deque<Class<?>> classes = new ArrayDeque<>();
            for (Class<?> each = key; each != null && !isJdk(each); each = each.getSuperclass()) classes.push(each);
            List<Field> result = new ArrayList<>();
            for (Class<?> each : classes) {
                for (Field field : each.getDeclaredFields()) {
                    if (Modifier.isStatic(field.getModifiers()) || field.isSynthetic()) continue;
                    field.setAccessible(true);
                    result.add(field);
                }
            }
            return result;
        });
    }

    /** The name of a class without its package and outer classes. */
    private static String name(Class<?> type) {
        String simple = type.getSimpleName();
        return simple.isEmpty() ? type.getName().substring(type.getName().lastIndexOf('.') + 1) : simple;
    }

    private void quote(String text, char mark) {
        out.append(mark);
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int escape = "\n\r\t\b\f\\".indexOf(c);
            if (escape >= 0) {
                out.append('\\').append("nrtbf\\".charAt(escape));
            } else if (c == mark) {
                out.append('\\').append(c);
            } else if (isEscaped(text, i)) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        put(String.valueOf(mark));
    }

    /** Whether a character cannot be shown: control characters, and half of a surrogate pair. */
    private static boolean isEscaped(String text, int index) {
        char c = text.charAt(index);
        if (Character.isHighSurrogate(c)) {
            return index + 1 == text.length() || !Character.isLowSurrogate(text.charAt(index + 1));
        }
        if (Character.isLowSurrogate(c)) return index == 0 || !Character.isHighSurrogate(text.charAt(index - 1));
        return c < ' ' || c >= 0x7f && c < 0xa0 || c == 0x2028 || c == 0x2029 || c == 0xfeff;
    }
}
