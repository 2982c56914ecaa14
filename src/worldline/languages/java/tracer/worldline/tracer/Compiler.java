package worldline.tracer;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.FileObject;
import javax.tools.ForwardingJavaFileManager;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileManager;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Compiles a program in memory, without annotation processors. */
final class Compiler {
    private static final int MAX_ERRORS = 5;

    private Compiler() {}

    /**
     * A method or lambda of the source.
     *
     * @param name Its name; that of its class for a constructor, "" for a lambda.
     * @param line The line of its name, or of the start of a lambda.
     * @param firstLine The first line of all of it.
     * @param lastLine Its last line.
     */
    record Function(String name, int line, int firstLine, int lastLine) {}

    /** The compiled classes by name, and the functions of the source. */
    record Result(Map<String, byte[]> classes, List<Function> functions) {
        String encode() throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            try (DataOutputStream out = new DataOutputStream(bytes)) {
                out.writeInt(classes.size());
                for (Map.Entry<String, byte[]> each : classes.entrySet()) {
                    out.writeUTF(each.getKey());
                    out.writeInt(each.getValue().length);
                    out.write(each.getValue());
                }
                out.writeInt(functions.size());
                for (Function each : functions) {
                    out.writeUTF(each.name());
                    out.writeInt(each.line());
                    out.writeInt(each.firstLine());
                    out.writeInt(each.lastLine());
                }
            }
            return Base64.getEncoder().encodeToString(bytes.toByteArray());
        }

        static Result decode(String text) throws IOException {
            byte[] data = Base64.getDecoder().decode(text);
            try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(data))) {
                Map<String, byte[]> classes = new LinkedHashMap<>();
                for (int n = in.readInt(); n > 0; n--) classes.put(in.readUTF(), in.readNBytes(in.readInt()));
                List<Function> functions = new ArrayList<>();
                for (int n = in.readInt(); n > 0; n--) {
                    functions.add(new Function(in.readUTF(), in.readInt(), in.readInt(), in.readInt()));
                }
                return new Result(classes, functions);
            }
        }
    }

    static Result compile(String text, List<String> classPath) throws Exception {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> messages = new DiagnosticCollector<>();
        List<String> options = List.of("-g", "-proc:none", "-nowarn", "-implicit:none", "-classpath",
                String.join(File.pathSeparator, classPath));
        Map<String, ByteArrayOutputStream> outputs = new LinkedHashMap<>();
        JavaFileManager files =
                new Outputs(compiler.getStandardFileManager(messages, Locale.ROOT, null), outputs);
        JavacTask task = (JavacTask) compiler.getTask(
                null, files, messages, options, null, List.of(new Source(text)));
        List<Function> functions = new ArrayList<>();
        for (CompilationUnitTree unit : task.parse()) {
            new Functions(text, unit, Trees.instance(task).getSourcePositions(), functions).scan(unit, null);
        }
        task.analyze();
        check(messages);
        task.generate();
        check(messages);
        Map<String, byte[]> classes = new LinkedHashMap<>();
        outputs.forEach((name, bytes) -> classes.put(name, bytes.toByteArray()));
        return new Result(classes, functions);
    }

    private static void check(DiagnosticCollector<JavaFileObject> messages) throws Main.CompilationFailure {
        StringBuilder text = new StringBuilder();
        int count = 0;
        for (Diagnostic<?> each : messages.getDiagnostics()) {
            if (each.getKind() != Diagnostic.Kind.ERROR || ++count > MAX_ERRORS) continue;
            if (text.length() > 0) text.append('\n');
            text.append("line ").append(each.getLineNumber()).append(": ");
            text.append(each.getMessage(Locale.ROOT).replace("\n", " "));
        }
        if (count > MAX_ERRORS) text.append("\nand ").append(count - MAX_ERRORS).append(" more errors");
        if (count > 0) throw new Main.CompilationFailure(text.toString());
    }

    /** The text of the program; a public class may have any name. */
    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String text) {
            super(URI.create("string:///Program.java"), Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoresErrors) {
            return text;
        }

        @Override
        public boolean isNameCompatible(String name, Kind kind) {
            return true;
        }
    }

    /** Keeps the compiled classes in memory. */
    private static final class Outputs extends ForwardingJavaFileManager<JavaFileManager> {
        private final Map<String, ByteArrayOutputStream> outputs;

        Outputs(JavaFileManager files, Map<String, ByteArrayOutputStream> outputs) {
            super(files);
            this.outputs = outputs;
        }

        @Override
        public JavaFileObject getJavaFileForOutput(
                Location location, String name, JavaFileObject.Kind kind, FileObject sibling) {
            return new SimpleJavaFileObject(URI.create("memory:///" + name.replace('.', '/')), kind) {
                @Override
                public OutputStream openOutputStream() {
                    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
                    outputs.put(name, bytes);
                    return bytes;
                }
            };
        }
    }

    /** Finds the methods and lambdas of the source, outer ones first. */
    private static final class Functions extends TreePathScanner<Void, Void> {
        private final String text;
        private final CompilationUnitTree unit;
        private final SourcePositions positions;
        private final List<Function> result;

        Functions(String text, CompilationUnitTree unit, SourcePositions positions, List<Function> result) {
            this.text = text;
            this.unit = unit;
            this.positions = positions;
            this.result = result;
        }

        @Override
        public Void visitMethod(MethodTree tree, Void unused) {
            long from = positions.getEndPosition(unit, tree.getModifiers());
            if (tree.getReturnType() != null) from = positions.getEndPosition(unit, tree.getReturnType());
            String name = tree.getName().toString();
            if (name.equals("<init>")) {
                name = ((ClassTree) getCurrentPath().getParentPath().getLeaf()).getSimpleName().toString();
            }
            long start = positions.getStartPosition(unit, tree);
            if (start >= 0) {
                Matcher matcher = Pattern.compile("\\b" + Pattern.quote(name) + "\\b").matcher(text);
                add(name, tree, matcher.find((int) Math.max(from, start)) ? matcher.start() : start);
            }
            return super.visitMethod(tree, unused);
        }

        @Override
        public Void visitLambdaExpression(LambdaExpressionTree tree, Void unused) {
            long start = positions.getStartPosition(unit, tree);
            for (Tree each : tree.getParameters()) start = Math.min(start, positions.getStartPosition(unit, each));
            add("", tree, start);
            return super.visitLambdaExpression(tree, unused);
        }

        private void add(String name, Tree tree, long position) {
            LineMap lines = unit.getLineMap();
            int first = (int) lines.getLineNumber(Math.min(position, positions.getStartPosition(unit, tree)));
            int last = (int) lines.getLineNumber(Math.max(position, positions.getEndPosition(unit, tree) - 1));
            result.add(new Function(name, (int) lines.getLineNumber(position), first, last));
        }
    }
}
