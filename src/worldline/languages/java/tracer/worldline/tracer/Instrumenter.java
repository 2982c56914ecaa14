package worldline.tracer;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Inserts calls of the tracer into compiled classes: at the start and end of methods, before lines, and
 * where exceptions are caught. The rules of the events are in docs/reference/java.md.
 */
final class Instrumenter {
    private static final String HOOKS = "worldline/tracer/Hooks";
    private static final int SYNTHETIC = 0x1000;
    private static final int STATIC = 0x8;
    private static final int GOTO = 0xa7;
    private static final int INVOKE_SPECIAL = 0xb7;
    private static final int NEW = 0xbb;
    // Lines that only close something execute nothing of their own.
    private static final Pattern CLOSING = Pattern.compile("[\\s})\\];]*(?://.*)?");
    private static final Set<String> EXITS =
            Set.of("java.lang.Runtime.exit(I)V", "java.lang.Runtime.halt(I)V", "java.lang.System.exit(I)V");

    final List<String> notes = new ArrayList<>();
    private final String[] text;
    private final List<Compiler.Function> functions;
    private final Sites sites;

    Instrumenter(String text, List<Compiler.Function> functions, Sites sites) {
        this.text = text.split("\r\n|\r|\n", -1);
        this.functions = functions;
        this.sites = sites;
    }

    byte[] instrument(byte[] data) throws IOException {
        ClassFile file = new ClassFile(data);
        for (ClassFile.Method method : file.methods) {
            for (int i = 0; i < method.attributes.size(); i++) {
                ClassFile.Attribute each = method.attributes.get(i);
                if (!each.name().equals("Code")) continue;
                method.attributes.set(i, new ClassFile.Attribute("Code", instrument(file, method, each.content())));
            }
        }
        return file.toBytes();
    }

    private byte[] instrument(ClassFile file, ClassFile.Method method, byte[] content) throws IOException {
        Code code = new Code(file, content);
        boolean hasExit = replaceExits(file, code);
        Compiler.Function function = functionOf(file, method, code);
        try {
            if (function != null) {
                new MethodInstrumenter(file, method, code, function).run();
                return code.toBytes();
            }
            return hasExit ? code.toBytes() : content;
        } catch (Code.TooLarge error) {
            notes.add("the method " + method.name + " is too large to be recorded");
            return content;
        }
    }

    /** Replace calls that end the process, so that the recording ends first. */
    private boolean replaceExits(ClassFile file, Code code) throws IOException {
        boolean isChanged = false;
        for (int position = 0; position < code.code.length; position += code.length(position)) {
            int opcode = code.opcode(position);
            if (opcode != 0xb6 && opcode != 0xb8) continue;
            String called = file.methodAt(code.u2(position + 1));
            if (!EXITS.contains(called)) continue;
            String descriptor = opcode == 0xb8 ? "(I)V" : "(Ljava/lang/Runtime;I)V";
            int index = file.addMethod(HOOKS, "exit", descriptor);
            code.code[position] = (byte) 0xb8;
            code.code[position + 1] = (byte) (index >> 8);
            code.code[position + 2] = (byte) index;
            isChanged = true;
        }
        return isChanged;
    }

    /** The function of the source that a method was compiled from; null if it is not in the source. */
    private Compiler.Function functionOf(ClassFile file, ClassFile.Method method, Code code) {
        boolean isLambda = method.name.startsWith("lambda$") && (method.access & SYNTHETIC) != 0;
        if (code.lines.isEmpty() || (method.access & SYNTHETIC) != 0 && !isLambda) return null;
        String name = method.name;
        if (isLambda) {
            name = "";
        } else if (name.equals("<init>")) {
            name = file.name.substring(Math.max(file.name.lastIndexOf('.'), file.name.lastIndexOf('$')) + 1);
        }
        int line = code.lines.get(0)[1];
        Compiler.Function result = null;
        for (Compiler.Function each : functions) {
            // The last one that matches is the innermost.
            if (sameName(each.name(), name) && each.firstLine() <= line && line <= each.lastLine()) result = each;
        }
        return result;
    }

    /** Local classes are called Outer$1Name. */
    private static boolean sameName(String declared, String compiled) {
        return compiled.equals(declared) || !declared.isEmpty() && compiled.matches("\\d+" + Pattern.quote(declared));
    }

    /** Inserts the calls of one method. */
    private final class MethodInstrumenter {
        private final ClassFile file;
        private final ClassFile.Method method;
        private final Code code;
        private final Sites.Function function;
        private final List<Code.Variable> variables;
        private final List<String> names;
        private final int firstInitialised;

        MethodInstrumenter(ClassFile file, ClassFile.Method method, Code code, Compiler.Function source) {
            this.file = file;
            this.method = method;
            this.code = code;
            firstInitialised = method.name.equals("<init>") ? afterConstructor() : 0;
            variables = new ArrayList<>(code.variables);
            variables.sort(Comparator.comparingInt(Code.Variable::start).thenComparingInt(Code.Variable::slot));
            Set<String> unique = new LinkedHashSet<>();
            for (Code.Variable each : variables) unique.add(each.name());
            names = new ArrayList<>(unique);
            int parameters = (int) variables.stream().filter(each -> each.start() == 0).count();
            function = sites.function(functionName(), source.line(), names, parameters);
        }

        private String functionName() {
            String type = file.name.substring(file.name.lastIndexOf('.') + 1).replace('$', '.');
            return type + "." + (method.name.startsWith("lambda$") ? "<lambda>" : method.name);
        }

        void run() throws IOException {
            int start = sites.add(function, function.line(), indices(visible(0)));
            code.insertFirst(event("enter", start, visible(0)));
            for (Code.Handler each : new LinkedHashSet<>(code.handlers)) handler(each);
            Set<Integer> rows = lines();
            for (int position = 0; position < code.code.length; position += code.length(position)) {
                int opcode = code.opcode(position);
                if (opcode == GOTO) loop(position, rows);
                if (opcode >= 0xac && opcode <= 0xb1) result(position);
            }
            int site = sites.add(function, 0, new int[0]);
            byte[] hook = hook("thrown", "(Ljava/lang/Throwable;I)V", 0x59, site, 0xbf);
            code.handleAll(firstInitialised, hook);
        }

        /** The position after the call of another constructor. */
        private int afterConstructor() {
            int created = 0;
            for (int position = 0; position < code.code.length; position += code.length(position)) {
                int opcode = code.opcode(position);
                if (opcode == NEW) created++;
                if (opcode == INVOKE_SPECIAL && file.methodAt(code.u2(position + 1)).contains(".<init>(")
                        && created-- == 0) {
                    return position + code.length(position);
                }
            }
            return 0;
        }

        /** The variables that can be read at a position. */
        private List<Code.Variable> visible(int position) {
            List<Code.Variable> result = new ArrayList<>();
            for (Code.Variable each : variables) {
                boolean isThere = each.start() <= position && position < each.start() + each.length();
                boolean isReady = position >= firstInitialised || !each.name().equals("this");
                if (isThere && isReady) result.add(each);
            }
            return result;
        }

        private int[] indices(List<Code.Variable> shown) {
            return shown.stream().mapToInt(each -> names.indexOf(each.name())).toArray();
        }

        private final Set<Integer> handled = new LinkedHashSet<>();

        private void handler(Code.Handler each) throws IOException {
            if (each.target() < firstInitialised || !handled.add(each.target())) return;
            int site = sites.add(function, 0, new int[0]);
            String name = isCatch(each.target()) ? "caught" : "passing";
            code.insert(each.target(), hook(name, "(Ljava/lang/Throwable;I)V", 0x59, site, -1));
        }

        /** Whether a handler is a `catch`, which has a variable; the compiler's own ones have none. */
        private boolean isCatch(int target) {
            int start = target + code.length(target);
            return variables.stream().anyMatch(each -> each.start() == start);
        }

        /** Insert the events of lines; the result is the positions that have one. */
        private Set<Integer> lines() throws IOException {
            Set<Integer> result = new LinkedHashSet<>();
            for (int[] row : code.lines) {
                if (isClosing(row[1]) || !result.add(row[0])) continue;
                List<Code.Variable> shown = visible(row[0]);
                code.insert(row[0], event("line", sites.add(function, row[1], indices(shown)), shown));
            }
            return result;
        }

        private boolean isClosing(int line) {
            return line > text.length || CLOSING.matcher(text[line - 1]).matches();
        }

        private int[] row(int position) {
            int[] result = code.lines.get(0);
            for (int[] each : code.lines) if (each[0] <= position) result = each;
            return result;
        }

        /** The event of a loop whose test has no row of its own: before the jump to it. */
        private void loop(int position, Set<Integer> rows) throws IOException {
            int target = position + (short) code.u2(position + 1);
            if (target > position || rows.contains(target)) return;
            int[] from = row(position);
            int[] to = row(target);
            if (from[1] == to[1] && from != to || isClosing(to[1])) return;
            List<Code.Variable> shown = visible(position);
            shown.retainAll(visible(target));
            code.insert(position, event("line", sites.add(function, to[1], indices(shown)), shown));
        }

        private void result(int position) throws IOException {
            int site = sites.add(function, 0, new int[0]);
            String type = method.descriptor.substring(method.descriptor.indexOf(')') + 1);
            if (type.equals("V")) {
                code.insert(position, hook("result", "(I)V", -1, site, -1));
                return;
            }
            int copy = type.equals("J") || type.equals("D") ? 0x5c : 0x59;
            code.insert(position, hook("result", "(" + hookType(type) + "I)V", copy, site, -1));
        }

        // -- instructions ------------------------------------------------------------------------

        /** The values of variables, then the event. */
        private byte[] event(String name, int site, List<Code.Variable> shown) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            for (Code.Variable each : shown) {
                int opcode = switch (each.descriptor().charAt(0)) {
                    case 'J' -> 0x16;
                    case 'F' -> 0x17;
                    case 'D' -> 0x18;
                    case 'L', '[' -> 0x19;
                    default -> 0x15;
                };
                if (each.slot() > 255) {
                    out.writeByte(0xc4);
                    out.writeByte(opcode);
                    out.writeShort(each.slot());
                } else {
                    out.writeByte(opcode);
                    out.writeByte(each.slot());
                }
                out.writeByte(0xb8);
                out.writeShort(file.addMethod(HOOKS, "value", "(" + hookType(each.descriptor()) + ")V"));
            }
            out.write(hook(name, "(I)V", -1, site, -1));
            return bytes.toByteArray();
        }

        /** An instruction or none, the number of the site, the call of a hook, an instruction or none. */
        private byte[] hook(String name, String descriptor, int before, int site, int after) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            DataOutputStream out = new DataOutputStream(bytes);
            if (before >= 0) out.writeByte(before);
            if (site <= Short.MAX_VALUE) {
                out.writeByte(0x11);
                out.writeShort(site);
            } else {
                out.writeByte(0x13);
                out.writeShort(file.addInteger(site));
            }
            out.writeByte(0xb8);
            out.writeShort(file.addMethod(HOOKS, name, descriptor));
            if (after >= 0) out.writeByte(after);
            return bytes.toByteArray();
        }

        private static String hookType(String descriptor) {
            return switch (descriptor.charAt(0)) {
                case 'L', '[' -> "Ljava/lang/Object;";
                case 'B', 'S' -> "I";
                default -> descriptor;
            };
        }
    }
}
