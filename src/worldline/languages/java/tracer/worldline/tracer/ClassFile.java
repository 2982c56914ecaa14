package worldline.tracer;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A class file: its constants, to which new ones can be added, and its methods. */
final class ClassFile {
    /** An attribute: its name and content. */
    record Attribute(String name, byte[] content) {}

    /** A method; its attributes can be replaced. */
    static final class Method {
        final int access;
        final String name;
        final String descriptor;
        final List<Attribute> attributes;

        Method(int access, String name, String descriptor, List<Attribute> attributes) {
            this.access = access;
            this.name = name;
            this.descriptor = descriptor;
            this.attributes = attributes;
        }
    }

    static final int UTF8 = 1;
    static final int CLASS = 7;
    static final int METHOD = 10;
    private static final int NAME_AND_TYPE = 12;
    private static final int INTEGER = 3;

    final String name;
    final List<Method> methods = new ArrayList<>();
    private final byte[] data;
    private final int[] offsets;
    private final int constantsEnd;
    private final int methodsStart;
    private final int methodsEnd;
    private final DataOutputStream added;
    private final ByteArrayOutputStream addedBytes = new ByteArrayOutputStream();
    private final Map<String, Integer> known = new HashMap<>();
    private int count;

    ClassFile(byte[] data) {
        this.data = data;
        added = new DataOutputStream(addedBytes);
        ByteBuffer in = ByteBuffer.wrap(data);
        count = in.position(8).getShort() & 0xffff;
        offsets = new int[count];
        readConstants(in);
        constantsEnd = in.position();
        in.getShort();
        name = className(in.getShort() & 0xffff);
        in.getShort();
        in.position(in.position() + 2 + 2 * (in.getShort(in.position()) & 0xffff));
        for (int n = in.getShort() & 0xffff; n > 0; n--) {
            in.position(in.position() + 6);
            attributes(in);
        }
        methodsStart = in.position();
        for (int n = in.getShort() & 0xffff; n > 0; n--) {
            methods.add(new Method(in.getShort() & 0xffff, utf8(in.getShort() & 0xffff),
                    utf8(in.getShort() & 0xffff), attributes(in)));
        }
        methodsEnd = in.position();
    }

    private void readConstants(ByteBuffer in) {
        for (int index = 1; index < count; index++) {
            offsets[index] = in.position();
            int tag = in.get();
            int size = switch (tag) {
                case UTF8 -> 2 + (in.getShort(in.position()) & 0xffff);
                case CLASS, 8, 16, 19, 20 -> 2;
                case 15 -> 3;
                case 5, 6 -> 8;
                default -> 4;
            };
            in.position(in.position() + size);
            if (tag == 5 || tag == 6) index++;
        }
    }

    List<Attribute> attributes(ByteBuffer in) {
        List<Attribute> result = new ArrayList<>();
        for (int n = in.getShort() & 0xffff; n > 0; n--) {
            String attribute = utf8(in.getShort() & 0xffff);
            byte[] content = new byte[in.getInt()];
            in.get(content);
            result.add(new Attribute(attribute, content));
        }
        return result;
    }

    private int u2(int offset) {
        return (data[offset] & 0xff) << 8 | data[offset + 1] & 0xff;
    }

    String utf8(int index) {
        int offset = offsets[index];
        return new String(data, offset + 3, u2(offset + 1), StandardCharsets.UTF_8);
    }

    private String className(int index) {
        return utf8(u2(offsets[index] + 1)).replace('/', '.');
    }

    /** Class, name and descriptor of a method that an instruction calls. */
    String methodAt(int index) {
        if (index >= offsets.length) return "";
        int offset = offsets[index];
        int pair = offsets[u2(offset + 3)];
        return className(u2(offset + 1)) + "." + utf8(u2(pair + 1)) + utf8(u2(pair + 3));
    }

    // -- new constants ---------------------------------------------------------------------------

    int addUtf8(String text) throws IOException {
        Integer index = known.get("u" + text);
        if (index != null) return index;
        added.writeByte(UTF8);
        added.writeUTF(text);
        return remember("u" + text);
    }

    int addClass(String type) throws IOException {
        return add("c" + type, CLASS, addUtf8(type), -1);
    }

    int addMethod(String owner, String method, String descriptor) throws IOException {
        int pair = add("n" + method + descriptor, NAME_AND_TYPE, addUtf8(method), addUtf8(descriptor));
        return add("m" + owner + "." + method + descriptor, METHOD, addClass(owner), pair);
    }

    int addInteger(int value) throws IOException {
        Integer index = known.get("i" + value);
        if (index != null) return index;
        added.writeByte(INTEGER);
        added.writeInt(value);
        return remember("i" + value);
    }

    private int add(String key, int tag, int first, int second) throws IOException {
        Integer index = known.get(key);
        if (index != null) return index;
        added.writeByte(tag);
        added.writeShort(first);
        if (second >= 0) added.writeShort(second);
        return remember(key);
    }

    private int remember(String key) {
        if (count >= 0xffff) throw new IllegalStateException("too many constants");
        known.put(key, count);
        return count++;
    }

    /** The class file with its changed methods. */
    byte[] toBytes() throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        DataOutputStream out = new DataOutputStream(body);
        out.writeShort(methods.size());
        for (Method method : methods) {
            out.writeShort(method.access);
            out.writeShort(addUtf8(method.name));
            out.writeShort(addUtf8(method.descriptor));
            write(out, method.attributes);
        }
        ByteArrayOutputStream result = new ByteArrayOutputStream();
        result.write(data, 0, 8);
        result.write(count >> 8);
        result.write(count);
        result.write(data, 10, constantsEnd - 10);
        addedBytes.writeTo(result);
        result.write(data, constantsEnd, methodsStart - constantsEnd);
        body.writeTo(result);
        result.write(data, methodsEnd, data.length - methodsEnd);
        return result.toByteArray();
    }

    void write(DataOutputStream out, List<Attribute> attributes) throws IOException {
        out.writeShort(attributes.size());
        for (Attribute each : attributes) {
            out.writeShort(addUtf8(each.name()));
            out.writeInt(each.content().length);
            out.write(each.content());
        }
    }
}
