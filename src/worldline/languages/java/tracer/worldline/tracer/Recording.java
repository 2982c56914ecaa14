package worldline.tracer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The recording of one program: rows for the steps.
 *
 * <p>The file and its rows are those of recorder/recording_protocol.py: the length of the complete rows
 * in the first eight bytes, the rows from byte 64 on. Rows are written in blocks, and at least every few
 * milliseconds, so that a program that is killed keeps its steps.
 */
final class Recording {
    private static final int FIRST_ROW = 64;
    private static final int BLOCK_CHARS = 1 << 16;
    private static final int MAX_DETAIL = 100_000;
    private static final int FLUSH_MILLIS = 20;
    /** Calls within calls at which a program has no more stack, as in a JVM with its usual settings. */
    private static final int MAX_DEPTH = 10_000;
    /** The same for other threads, whose stacks are smaller. */
    private static final int MAX_THREAD_DEPTH = 2_000;

    final Sites sites = new Sites();
    final List<String> notes = new ArrayList<>();
    volatile boolean isOn;
    boolean hasStarted;
    private final FileChannel file;
    private final Limits limits;
    private final String secret;
    private final StringBuilder rows = new StringBuilder();
    private final Map<Integer, Integer> scopeOf = new HashMap<>();
    private final Renderer renderer;
    /** Length of the complete rows; a full stack may interrupt the writing of a row. */
    private int complete;
    private long bytes;
    private int steps;
    private int scopes;
    private int threads;
    private int lastThread;
    private long deadline = Long.MAX_VALUE;

    /** One activation of a function. */
    static final class Frame {
        final Sites.Function function;
        final String[] texts;
        final Object[] values;
        int scope = -1;
        int line;
        Throwable thrown;
        boolean isCaught;

        Frame(Sites.Function function) {
            this.function = function;
            texts = new String[function.variables().size()];
            values = new Object[texts.length];
            line = function.line();
        }
    }

    /** The frames of one thread, and the values that its next event shows. */
    static final class Stack {
        final int thread;
        final ArrayList<Frame> frames = new ArrayList<>();
        Object[] values = new Object[16];
        int count;

        Stack(int thread) {
            this.thread = thread;
        }

        void add(Object value) {
            if (count == values.length) values = java.util.Arrays.copyOf(values, 2 * count);
            values[count++] = value;
        }

        Frame top() {
            return frames.isEmpty() ? null : frames.get(frames.size() - 1);
        }

        Frame pop() {
            return frames.remove(frames.size() - 1);
        }
    }

    Recording(FileChannel file, Limits limits, String secret) {
        this.file = file;
        this.limits = limits;
        this.secret = secret;
        renderer = new Renderer(limits.valueChars());
    }

    // -- start and end ---------------------------------------------------------------------------

    synchronized void start() {
        Hooks.start(new Stack(threads++));
        hasStarted = true;
        isOn = true;
    }

    synchronized void stop() {
        isOn = false;
    }

    synchronized Stack newStack() {
        return new Stack(threads++);
    }

    /** End the program when its time is over, and write rows until then. */
    void watch() {
        deadline = System.nanoTime() + (long) (limits.seconds() * 1e9);
        Thread thread = new Thread(this::watchUntilEnd, "watch");
        thread.setDaemon(true);
        thread.setPriority(Thread.MAX_PRIORITY);
        thread.start();
    }

    private void watchUntilEnd() {
        while (System.nanoTime() < deadline) {
            try {
                Thread.sleep(FLUSH_MILLIS);
            } catch (InterruptedException ignored) {
                // By the program; the time is not over.
            }
            synchronized (this) {
                flush();
            }
        }
        finish("time_limit", String.format("more than %s s", seconds()), 1);
    }

    private String seconds() {
        double value = limits.seconds();
        return value == Math.rint(value) ? String.valueOf((long) value) : String.valueOf(value);
    }

    long remainingMillis() {
        return (deadline - System.nanoTime()) / 1_000_000;
    }

    /** End the process. */
    synchronized void finish(String reason, String detail, int status) {
        isOn = false;
        rows.setLength(complete);
        String text = detail.length() > MAX_DETAIL ? detail.substring(0, MAX_DETAIL) : detail;
        rows.append("[\"end\",");
        Json.append(rows, reason);
        rows.append(',');
        Json.append(rows, text);
        rows.append(",[");
        for (int i = 0; i < notes.size(); i++) {
            if (i > 0) rows.append(',');
            Json.append(rows, notes.get(i));
        }
        rows.append("]]\n[\"epilogue\",").append(steps).append(',').append(scopes).append(',');
        Json.append(rows, secret);
        rows.append("]\n");
        complete = rows.length();
        flush();
        Runtime.getRuntime().halt(status);
    }

    /** Report the compiled classes, so that they need not be compiled again. */
    synchronized void compiled(String classes) {
        rows.append("[\"compiled\",\"").append(classes).append("\"]\n");
        complete = rows.length();
        flush();
    }

    private void flush() {
        if (complete == 0) return;
        byte[] data = rows.substring(0, complete).getBytes(StandardCharsets.UTF_8);
        rows.setLength(0);
        complete = 0;
        try {
            write(ByteBuffer.wrap(data), FIRST_ROW + bytes);
            bytes += data.length;
            write(ByteBuffer.allocate(8).order(java.nio.ByteOrder.LITTLE_ENDIAN).putLong(0, bytes), 0);
        } catch (IOException error) {
            // Nothing can be reported any more; the parent notices that there is no end.
            Runtime.getRuntime().halt(1);
        }
    }

    private void write(ByteBuffer data, long position) throws IOException {
        long at = position;
        while (data.hasRemaining()) at += file.write(data, at);
    }

    // -- steps -----------------------------------------------------------------------------------

    /** Begin the row of a step. */
    private void begin(Stack stack, String event, Frame frame) {
        rows.setLength(complete);
        if (steps >= limits.steps()) finish("step_limit", "", 1);
        if (bytes + rows.length() > limits.traceMb() * 1_000_000L) finish("trace_limit", "", 1);
        if (stack.thread != lastThread) {
            rows.append("[\"thread\",").append(stack.thread).append("]\n");
            lastThread = stack.thread;
            complete = rows.length();
        }
        rows.append("[\"").append(event).append("\",").append(frame.line).append(',').append(frame.scope);
    }

    private void end() {
        rows.append("]\n");
        complete = rows.length();
        steps++;
        if (rows.length() > BLOCK_CHARS) flush();
    }

    synchronized void enter(Stack stack, Sites.Site site) {
        if (!isOn) return;
        if (stack.frames.size() >= (stack.thread == 0 ? MAX_DEPTH : MAX_THREAD_DEPTH)) {
            stack.count = 0;
            throw new StackOverflowError();
        }
        Frame frame = new Frame(site.function());
        Integer known = scopeOf.get(site.function().id());
        frame.scope = scopes;
        rows.setLength(complete);
        if (known == null) {
            scopeRow(site.function());
            scopeOf.put(site.function().id(), scopes);
        } else {
            rows.append("[\"again\",").append(known).append("]\n");
        }
        complete = rows.length();
        scopes++;
        locals(stack, "call", frame, site);
        stack.frames.add(frame);
    }

    private void scopeRow(Sites.Function function) {
        rows.append("[\"scope\",");
        Json.append(rows, function.name());
        rows.append(',').append(function.line()).append(",[");
        for (int i = 0; i < function.variables().size(); i++) {
            if (i > 0) rows.append(',');
            Json.append(rows, function.variables().get(i));
        }
        rows.append("],").append(function.parameters()).append("]\n");
    }

    synchronized void line(Stack stack, Sites.Site site) {
        Frame frame = current(stack, site.function());
        if (frame == null) {
            stack.count = 0;
            return;
        }
        frame.line = site.line();
        if (frame.isCaught) frame.thrown = null;
        frame.isCaught = false;
        locals(stack, "line", frame, site);
    }

    /** The frame of a function on a thread; frames that were left without an event are ended. */
    private Frame current(Stack stack, Sites.Function function) {
        if (!isOn) return null;
        while (stack.top() != null && stack.top().function != function) {
            leave(stack, stack.pop(), null);
        }
        return stack.top();
    }

    private void locals(Stack stack, String event, Frame frame, Sites.Site site) {
        List<String> names = frame.function.variables();
        int[] variables = site.variables();
        boolean[] isSeen = new boolean[frame.texts.length];
        // Values before them were not used, because a full stack interrupted their event.
        int first = Math.max(0, stack.count - variables.length);
        int rest = stack.count - first;
        begin(stack, event, frame);
        String separator = ",{";
        for (int i = 0; i < variables.length && i < rest; i++) {
            int index = variables[i];
            isSeen[index] = true;
            Object value = stack.values[first + i];
            stack.values[first + i] = null;
            // Texts of values that cannot change are not needed again.
            if (frame.texts[index] != null && value == frame.values[index] && Renderer.isConstant(value)) continue;
            frame.values[index] = value;
            String text = renderer.render(value);
            if (text.equals(frame.texts[index])) continue;
            frame.texts[index] = text;
            rows.append(separator);
            separator = ",";
            Json.append(rows, names.get(index));
            rows.append(':');
            Json.append(rows, text);
        }
        stack.count = 0;
        boolean hasChanges = separator.equals(",");
        if (hasChanges) rows.append('}');
        gone(frame, isSeen, hasChanges);
        end();
    }

    private void gone(Frame frame, boolean[] isSeen, boolean hasChanges) {
        String separator = hasChanges ? ",[" : ",{},[";
        boolean hasAny = false;
        for (int index = 0; index < isSeen.length; index++) {
            if (isSeen[index] || frame.texts[index] == null) continue;
            frame.texts[index] = null;
            frame.values[index] = null;
            rows.append(separator);
            separator = ",";
            hasAny = true;
            Json.append(rows, frame.function.variables().get(index));
        }
        if (hasAny) rows.append(']');
    }

    synchronized void result(Stack stack, Sites.Site site, Object value, boolean isVoid) {
        Frame frame = current(stack, site.function());
        if (frame == null) return;
        stack.pop();
        leave(stack, frame, isVoid ? "null" : renderer.render(value));
    }

    private void leave(Stack stack, Frame frame, String value) {
        begin(stack, "return", frame);
        rows.append(',');
        if (value == null) rows.append("null");
        else Json.append(rows, value);
        end();
        if (frame.scope == 0) isOn = false;
    }

    /** An exception is caught, or reaches a `finally`. */
    synchronized void caught(Stack stack, Sites.Site site, Throwable error, boolean isCatch) {
        Frame frame = current(stack, site.function());
        if (frame == null) return;
        raise(stack, frame, error);
        frame.isCaught = isCatch;
    }

    /** An exception leaves a function. */
    synchronized void thrown(Stack stack, Sites.Site site, Throwable error) {
        Frame frame = current(stack, site.function());
        if (frame == null) return;
        raise(stack, frame, error);
        stack.pop();
        leave(stack, frame, null);
    }

    private void raise(Stack stack, Frame frame, Throwable error) {
        if (frame.thrown == error) return;
        frame.thrown = error;
        begin(stack, "exception", frame);
        rows.append(',');
        Json.append(rows, renderer.render(error));
        end();
    }
}
