package worldline.tracer;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Executes one program and records it. Runs in the sandbox, started by recorder/child/exec_server.py.
 *
 * <p>Descriptors: 0 the program's input, 1 its output; the arguments are those of the recording and of
 * the request.
 */
final class Main {
    private static final long STACK_BYTES = 64L << 20;
    private static Map<String, Object> request;
    private static Recording recording;

    private Main() {}

    public static void main(String[] arguments) throws Exception {
        FixedOrder.apply();
        try (FileInputStream file = new FileInputStream(descriptor(Integer.parseInt(arguments[1])))) {
            request = Json.object(new String(file.readAllBytes(), StandardCharsets.UTF_8));
        }
        Limits limits = Limits.of(Json.object(request, "limits"));
        recording = new Recording(channel(Integer.parseInt(arguments[0])), limits, (String) request.get("secret"));
        Hooks.prepare(recording);
        if (Boolean.TRUE.equals(request.get("needs_filter"))
                && !"installed".equals(System.getenv("WORLDLINE_FILTER"))) {
            recording.finish("recorder_failed", "the sandbox: the seccomp filter is not installed", 1);
        }
        // A main thread with room for deep recursion.
        Thread thread = new Thread(null, () -> execute(limits), "main", STACK_BYTES);
        thread.start();
    }

    /** The file of the recording; a program that interrupts its threads does not close it. */
    private static FileChannel channel(int number) throws ReflectiveOperationException {
        FileChannel result = new FileOutputStream(descriptor(number)).getChannel();
        Method method = result.getClass().getMethod("setUninterruptible");
        method.setAccessible(true);
        method.invoke(result);
        return result;
    }

    private static FileDescriptor descriptor(int number) throws ReflectiveOperationException {
        FileDescriptor result = new FileDescriptor();
        Field field = FileDescriptor.class.getDeclaredField("fd");
        field.setAccessible(true);
        field.setInt(result, number);
        return result;
    }

    private static void execute(Limits limits) {
        PrintStream output = new PrintStream(
                new LimitedOutput(new FileOutputStream(FileDescriptor.out), limits, recording), true,
                StandardCharsets.UTF_8);
        System.setOut(output);
        System.setErr(new PrintStream(
                new LimitedOutput(new FileOutputStream(FileDescriptor.err), limits, recording), true,
                StandardCharsets.UTF_8));
        Method entry = null;
        try {
            entry = load();
        } catch (CompilationFailure failure) {
            recording.finish("not_loaded", failure.getMessage(), 1);
        } catch (Throwable error) {
            recording.finish("not_loaded", detail(error), 1);
        }
        Runtime.getRuntime().addShutdownHook(new Thread(() -> recording.finish("exited", "", 0)));
        recording.watch();
        call(entry);
    }

    /** Compile and load the program; the method to call. */
    private static Method load() throws Exception {
        String text = (String) request.get("text");
        List<String> classPath = Json.strings(request, "class_path");
        Compiler.Result compiled = compiled(text, classPath);
        Map<String, byte[]> classes = new LinkedHashMap<>();
        Instrumenter instrumenter = new Instrumenter(text, compiled.functions(), recording.sites);
        for (Map.Entry<String, byte[]> each : compiled.classes().entrySet()) {
            classes.put(each.getKey(), instrumenter.instrument(each.getValue()));
        }
        recording.notes.addAll(instrumenter.notes);
        ClassLoader loader = new ProgramLoader(classes, classPath);
        Thread.currentThread().setContextClassLoader(loader);
        Method entry = null;
        String name = (String) request.get("entry");
        for (String each : classes.keySet()) {
            Method found = entry(Class.forName(each, false, loader), name);
            entry = entry == null ? found : entry;
        }
        if (entry == null) {
            throw new CompilationFailure(name == null
                    ? "there is no method static void main(String[]): give a call"
                    : "there is no method " + name + "()");
        }
        Class.forName(entry.getDeclaringClass().getName(), true, loader);
        entry.setAccessible(true);
        return entry;
    }

    /** The classes of the program: from an earlier request, or compiled now. */
    private static Compiler.Result compiled(String text, List<String> classPath) throws Exception {
        Object stored = request.get("compiled");
        if (stored != null) return Compiler.Result.decode((String) stored);
        Compiler.Result result = Compiler.compile(text, classPath);
        recording.compiled(result.encode());
        return result;
    }

    private static Method entry(Class<?> type, String name) {
        for (Method method : type.getDeclaredMethods()) {
            int count = method.getParameterCount();
            boolean isEntry = name != null
                    ? method.getName().equals(name) && count == 0
                    : method.getName().equals("main") && Modifier.isStatic(method.getModifiers())
                            && count == 1 && method.getParameterTypes()[0] == String[].class;
            if (isEntry && !method.isSynthetic()) return method;
        }
        return null;
    }

    private static void call(Method entry) {
        Object[] arguments = entry.getParameterCount() == 0 ? new Object[0] : new Object[] {new String[0]};
        String reason = "finished";
        String text = "";
        try {
            Object receiver = null;
            if (!Modifier.isStatic(entry.getModifiers())) {
                var constructor = entry.getDeclaringClass().getDeclaredConstructor();
                constructor.setAccessible(true);
                receiver = constructor.newInstance();
            }
            recording.start();
            entry.invoke(receiver, arguments);
        } catch (InvocationTargetException error) {
            reason = recording.hasStarted ? "raised" : "not_loaded";
            text = detail(error.getCause());
        } catch (ReflectiveOperationException error) {
            reason = "not_loaded";
            text = "the class of the entry point cannot be instantiated: " + error;
        }
        recording.stop();
        if (reason.equals("finished")) waitForThreads();
        System.out.flush();
        recording.finish(reason, text, reason.equals("finished") ? 0 : 1);
    }

    /** Wait for the other threads of the program, as Java does; the watch ends them. */
    private static void waitForThreads() {
        Thread[] threads = new Thread[256];
        int count = Thread.currentThread().getThreadGroup().enumerate(threads);
        for (int i = 0; i < count; i++) {
            Thread each = threads[i];
            if (each == Thread.currentThread() || each.isDaemon() || each.getName().equals("DestroyJavaVM")) {
                continue;
            }
            try {
                long rest = recording.remainingMillis() - 100;
                if (rest > 0) each.join(rest);
            } catch (InterruptedException error) {
                return;
            }
            if (each.isAlive()) {
                recording.notes.add("threads were still running when the time was over");
                return;
            }
        }
    }

    /** What an exception says, as `Throwable.toString` does. */
    static String detail(Throwable error) {
        if (error instanceof ExceptionInInitializerError && error.getCause() != null) {
            return detail(error.getCause());
        }
        String message;
        try {
            message = error.getMessage();
        } catch (Throwable ignored) {
            message = null;
        }
        String name = error.getClass().getName();
        return message == null ? name : name + ": " + message;
    }

    /** A program that cannot be compiled. */
    static final class CompilationFailure extends Exception {
        private static final long serialVersionUID = 1;

        CompilationFailure(String message) {
            super(message);
        }
    }

    /** The output of the program, which ends it if it prints too much. */
    private static final class LimitedOutput extends java.io.OutputStream {
        private static final java.util.concurrent.atomic.AtomicLong PRINTED =
                new java.util.concurrent.atomic.AtomicLong();
        private final FileOutputStream file;
        private final Limits limits;
        private final Recording recording;

        LimitedOutput(FileOutputStream file, Limits limits, Recording recording) {
            this.file = file;
            this.limits = limits;
            this.recording = recording;
        }

        @Override
        public void write(int value) throws IOException {
            write(new byte[] {(byte) value}, 0, 1);
        }

        @Override
        public void write(byte[] data, int start, int length) throws IOException {
            if (PRINTED.addAndGet(length) > limits.outputMb() * 1_000_000L) {
                recording.finish("output_limit", "more than " + limits.outputMb() + " MB printed", 1);
            }
            file.write(data, start, length);
        }
    }
}
