package worldline.tracer;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/**
 * The code of a method, into which instructions can be inserted.
 *
 * <p>What is inserted before an instruction is executed by jumps to that instruction, too. Jumps, tables
 * and stack maps are moved accordingly; inserted code leaves stack and variables as they are.
 */
final class Code {
    /** A handler of exceptions; `type` is 0 for `finally`. */
    record Handler(int start, int end, int target, int type) {}

    /** A variable, from a position on, for a length. */
    record Variable(int start, int length, String name, String descriptor, int slot) {}

    /** Thrown if the method becomes too large. */
    static final class TooLarge extends Exception {
        private static final long serialVersionUID = 1;
    }

    private static final int MAX_BYTES = 0xffff;
    private static final int WIDE = 0xc4;
    private static final int TABLE_SWITCH = 0xaa;
    private static final int LOOKUP_SWITCH = 0xab;
    // Lengths of the instructions by opcode; 0 for switches and `wide`.
    private static final String LENGTHS = "1".repeat(16) + "23233" + "22222" + "1".repeat(20) + "1".repeat(8)
            + "22222" + "1".repeat(20) + "1".repeat(8) + "1".repeat(45) + "3" + "1".repeat(20) + "3".repeat(16)
            + "2" + "00" + "1".repeat(6) + "3".repeat(7) + "55" + "3" + "2" + "3" + "11" + "33" + "11" + "0"
            + "4" + "33" + "55";

    final ClassFile file;
    final byte[] code;
    final List<Handler> handlers = new ArrayList<>();
    /** Starts of lines: position and line number, by position. */
    final List<int[]> lines = new ArrayList<>();
    final List<Variable> variables = new ArrayList<>();
    private final int maxStack;
    private final int maxLocals;
    private final List<ClassFile.Attribute> attributes;
    private final byte[][] inserted;
    private byte[] prefix = new byte[0];
    private byte[] suffix = new byte[0];
    private int[] handled;
    // New positions: of what is inserted before an instruction, and of the instruction.
    private int[] moved;
    private int[] own;

    Code(ClassFile file, byte[] content) {
        this.file = file;
        ByteBuffer in = ByteBuffer.wrap(content);
        maxStack = in.getShort() & 0xffff;
        maxLocals = in.getShort() & 0xffff;
        code = new byte[in.getInt()];
        in.get(code);
        for (int n = in.getShort() & 0xffff; n > 0; n--) {
            handlers.add(new Handler(u2(in), u2(in), u2(in), u2(in)));
        }
        attributes = file.attributes(in);
        inserted = new byte[code.length][];
        for (ClassFile.Attribute each : attributes) {
            ByteBuffer table = ByteBuffer.wrap(each.content());
            if (each.name().equals("LineNumberTable")) {
                for (int n = u2(table); n > 0; n--) lines.add(new int[] {u2(table), u2(table)});
            } else if (each.name().equals("LocalVariableTable")) {
                for (int n = u2(table); n > 0; n--) {
                    variables.add(new Variable(
                            u2(table), u2(table), file.utf8(u2(table)), file.utf8(u2(table)), u2(table)));
                }
            }
        }
        lines.sort((a, b) -> Integer.compare(a[0], b[0]));
    }

    private static int u2(ByteBuffer in) {
        return in.getShort() & 0xffff;
    }

    int opcode(int position) {
        return code[position] & 0xff;
    }

    int u2(int position) {
        return (code[position] & 0xff) << 8 | code[position + 1] & 0xff;
    }

    int s4(int position) {
        return u2(position) << 16 | u2(position + 2);
    }

    /** The length of the instruction at a position. */
    int length(int position) {
        int opcode = opcode(position);
        int aligned = position + 4 - position % 4;
        if (opcode == TABLE_SWITCH) return aligned + 16 + 4 * (s4(aligned + 8) - s4(aligned + 4)) - position;
        if (opcode == LOOKUP_SWITCH) return aligned + 8 + 8 * s4(aligned + 4) - position;
        if (opcode == WIDE) return opcode(position + 1) == 0x84 ? 6 : 4;
        return LENGTHS.charAt(opcode) - '0';
    }

    /** Whether an instruction jumps, with an offset of two bytes. */
    static boolean isJump(int opcode) {
        return opcode >= 0x99 && opcode <= 0xa8 || opcode == 0xc6 || opcode == 0xc7;
    }

    /** Insert instructions before one, behind what was inserted there already. */
    void insert(int position, byte[] instructions) {
        byte[] before = inserted[position];
        if (before == null) {
            inserted[position] = instructions;
            return;
        }
        byte[] both = java.util.Arrays.copyOf(before, before.length + instructions.length);
        System.arraycopy(instructions, 0, both, before.length, instructions.length);
        inserted[position] = both;
    }

    /** Execute instructions first; jumps to the start of the code do not repeat them. */
    void insertFirst(byte[] instructions) {
        prefix = instructions;
    }

    /** Add a handler of all exceptions of the code from a position on. */
    void handleAll(int start, byte[] instructions) {
        suffix = instructions;
        handled = new int[] {start, code.length};
    }

    // -- the new code ----------------------------------------------------------------------------

    byte[] toBytes() throws IOException, TooLarge {
        move();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeShort(maxStack + 4);
        out.writeShort(maxLocals);
        byte[] body = newCode();
        if (body.length > MAX_BYTES) throw new TooLarge();
        out.writeInt(body.length);
        out.write(body);
        out.writeShort(handlers.size() + (handled == null ? 0 : 1));
        for (Handler each : handlers) {
            out.writeShort(moved[each.start()]);
            out.writeShort(moved[each.end()]);
            out.writeShort(moved[each.target()]);
            out.writeShort(each.type());
        }
        if (handled != null) {
            out.writeShort(moved[handled[0]]);
            out.writeShort(moved[handled[1]]);
            out.writeShort(moved[code.length]);
            out.writeShort(0);
        }
        file.write(out, newAttributes());
        return bytes.toByteArray();
    }

    private void move() {
        moved = new int[code.length + 1];
        own = new int[code.length + 1];
        int at = prefix.length;
        for (int position = 0; position < code.length; position += length(position)) {
            moved[position] = at;
            if (inserted[position] != null) at += inserted[position].length;
            own[position] = at;
            int opcode = opcode(position);
            if (opcode == TABLE_SWITCH || opcode == LOOKUP_SWITCH) {
                at += length(position) - (3 - position % 4) + (3 - at % 4);
            } else {
                at += length(position);
            }
        }
        moved[code.length] = own[code.length] = at;
    }

    private byte[] newCode() throws IOException, TooLarge {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        out.write(prefix);
        for (int position = 0; position < code.length; position += length(position)) {
            if (inserted[position] != null) out.write(inserted[position]);
            int opcode = opcode(position);
            if (opcode == TABLE_SWITCH || opcode == LOOKUP_SWITCH) {
                writeSwitch(out, position);
            } else if (isJump(opcode)) {
                int target = moved[position + (short) u2(position + 1)] - own[position];
                if (target != (short) target) throw new TooLarge();
                out.writeByte(opcode);
                out.writeShort(target);
            } else if (opcode == 0xc8 || opcode == 0xc9) {
                out.writeByte(opcode);
                out.writeInt(moved[position + s4(position + 1)] - own[position]);
            } else {
                out.write(code, position, length(position));
            }
        }
        out.write(suffix);
        return bytes.toByteArray();
    }

    private void writeSwitch(DataOutputStream out, int position) throws IOException {
        int from = own[position];
        out.writeByte(opcode(position));
        for (int n = 3 - from % 4; n > 0; n--) out.writeByte(0);
        int at = position + 4 - position % 4;
        out.writeInt(moved[position + s4(at)] - from);
        boolean isTable = opcode(position) == TABLE_SWITCH;
        int count = isTable ? s4(at + 8) - s4(at + 4) + 1 : s4(at + 4);
        out.write(code, at + 4, isTable ? 8 : 4);
        at += isTable ? 12 : 8;
        for (int n = 0; n < count; n++) {
            if (!isTable) {
                out.writeInt(s4(at));
                at += 4;
            }
            out.writeInt(moved[position + s4(at)] - from);
            at += 4;
        }
    }

    private List<ClassFile.Attribute> newAttributes() throws IOException {
        List<ClassFile.Attribute> result = new ArrayList<>();
        boolean hasStackMap = false;
        for (ClassFile.Attribute each : attributes) {
            ByteBuffer in = ByteBuffer.wrap(each.content());
            switch (each.name()) {
                case "LineNumberTable" -> result.add(table(each.name(), in, 2, false));
                case "LocalVariableTable", "LocalVariableTypeTable" -> result.add(table(each.name(), in, 5, true));
                case "StackMapTable" -> {
                    hasStackMap = true;
                    result.add(stackMap(in));
                }
                default -> {
                    // Annotations of types have positions, too; nothing needs them at run time.
                }
            }
        }
        if (!hasStackMap && handled != null) result.add(stackMap(ByteBuffer.allocate(2)));
        return result;
    }

    /** A table whose rows begin with a position, and a length if there is one. */
    private ClassFile.Attribute table(String name, ByteBuffer in, int columns, boolean hasLength)
            throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = u2(in);
        out.writeShort(count);
        for (int n = 0; n < count; n++) {
            int start = u2(in);
            out.writeShort(moved[start]);
            if (hasLength) out.writeShort(moved[start + u2(in)] - moved[start]);
            for (int column = hasLength ? 2 : 1; column < columns; column++) out.writeShort(u2(in));
        }
        return new ClassFile.Attribute(name, bytes.toByteArray());
    }

    // -- stack maps ------------------------------------------------------------------------------

    private ClassFile.Attribute stackMap(ByteBuffer in) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(bytes);
        int count = u2(in);
        out.writeShort(count + (handled == null ? 0 : 1));
        int position = -1;
        int last = -1;
        for (int n = 0; n < count; n++) {
            int kind = in.get() & 0xff;
            int delta = kind < 64 ? kind : kind < 128 ? kind - 64 : u2(in);
            position += delta + 1;
            // The forms with an offset of two bytes.
            out.writeByte(kind < 64 ? 251 : kind < 128 ? 247 : kind);
            out.writeShort(moved[position] - last - 1);
            last = moved[position];
            copyFrame(in, out, kind);
        }
        if (handled != null) {
            // No variables, and the exception on the stack.
            out.writeByte(255);
            out.writeShort(moved[code.length] - last - 1);
            out.writeShort(0);
            out.writeShort(1);
            out.writeByte(7);
            out.writeShort(file.addClass("java/lang/Throwable"));
        }
        return new ClassFile.Attribute("StackMapTable", bytes.toByteArray());
    }

    private void copyFrame(ByteBuffer in, DataOutputStream out, int kind) throws IOException {
        if (kind >= 64 && kind < 128 || kind == 247) {
            copyTypes(in, out, 1);
        } else if (kind >= 252 && kind < 255) {
            copyTypes(in, out, kind - 251);
        } else if (kind == 255) {
            for (int part = 0; part < 2; part++) {
                int count = u2(in);
                out.writeShort(count);
                copyTypes(in, out, count);
            }
        }
    }

    private void copyTypes(ByteBuffer in, DataOutputStream out, int count) throws IOException {
        for (int n = 0; n < count; n++) {
            int tag = in.get();
            out.writeByte(tag);
            if (tag == 7) out.writeShort(u2(in));
            // An object that is not initialised is known by its `new`.
            if (tag == 8) out.writeShort(own[u2(in)]);
        }
    }
}
