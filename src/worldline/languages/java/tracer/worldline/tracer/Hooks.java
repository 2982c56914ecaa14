package worldline.tracer;

/**
 * What instrumented programs call: the values of variables one by one, then the event.
 *
 * <p>Nothing of a program is executed here: values are read, not asked for their text.
 */
public final class Hooks {
    private static Recording recording;
    private static Thread main;
    private static Recording.Stack mainStack;
    private static final ThreadLocal<Recording.Stack> STACKS =
            ThreadLocal.withInitial(() -> recording.newStack());

    private Hooks() {}

    static void prepare(Recording prepared) {
        recording = prepared;
    }

    static void start(Recording.Stack stack) {
        main = Thread.currentThread();
        mainStack = stack;
    }

    /** The frames of this thread; null if nothing is recorded now. */
    private static Recording.Stack stack() {
        if (!recording.isOn) return null;
        return Thread.currentThread() == main ? mainStack : STACKS.get();
    }

    public static void value(Object value) {
        Recording.Stack stack = stack();
        if (stack != null) stack.add(value);
    }

    public static void value(boolean value) {
        value((Object) value);
    }

    public static void value(char value) {
        value((Object) value);
    }

    public static void value(int value) {
        value((Object) value);
    }

    public static void value(long value) {
        value((Object) value);
    }

    public static void value(float value) {
        value((Object) value);
    }

    public static void value(double value) {
        value((Object) value);
    }

    public static void enter(int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.enter(stack, recording.sites.get(site));
    }

    public static void line(int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.line(stack, recording.sites.get(site));
    }

    public static void result(Object value, int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.result(stack, recording.sites.get(site), value, false);
    }

    public static void result(boolean value, int site) {
        result((Object) value, site);
    }

    public static void result(char value, int site) {
        result((Object) value, site);
    }

    public static void result(int value, int site) {
        result((Object) value, site);
    }

    public static void result(long value, int site) {
        result((Object) value, site);
    }

    public static void result(float value, int site) {
        result((Object) value, site);
    }

    public static void result(double value, int site) {
        result((Object) value, site);
    }

    public static void result(int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.result(stack, recording.sites.get(site), null, true);
    }

    public static void caught(Throwable error, int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.caught(stack, recording.sites.get(site), error, true);
    }

    public static void passing(Throwable error, int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.caught(stack, recording.sites.get(site), error, false);
    }

    public static void thrown(Throwable error, int site) {
        Recording.Stack stack = stack();
        if (stack != null) recording.thrown(stack, recording.sites.get(site), error);
    }

    /** Instead of `System.exit`. */
    public static void exit(int status) {
        System.out.flush();
        recording.finish("exited", String.valueOf(status), status & 0xff);
    }

    /** Instead of `Runtime.exit` and `Runtime.halt`. */
    public static void exit(Runtime runtime, int status) {
        exit(status);
    }
}
