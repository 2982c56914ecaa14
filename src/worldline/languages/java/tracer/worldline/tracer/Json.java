package worldline.tracer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** JSON: a reader of the request, and strings for the rows of the recording. */
final class Json {
    private final String text;
    private int position;

    private Json(String text) {
        this.text = text;
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(String text) {
        return (Map<String, Object>) new Json(text).value();
    }

    @SuppressWarnings("unchecked")
    static Map<String, Object> object(Map<String, Object> parent, String name) {
        return (Map<String, Object>) parent.get(name);
    }

    static List<String> strings(Map<String, Object> parent, String name) {
        List<String> result = new ArrayList<>();
        for (Object each : (List<?>) parent.get(name)) result.add((String) each);
        return result;
    }

    private Object value() {
        switch (next()) {
            case '{':
                return members();
            case '[':
                return items();
            case '"':
                return string();
            case 't':
                position += 3;
                return true;
            case 'f':
                position += 4;
                return false;
            case 'n':
                position += 3;
                return null;
            default:
                position--;
                return number();
        }
    }

    /** The next character that is not space. */
    private char next() {
        while (Character.isWhitespace(text.charAt(position))) position++;
        return text.charAt(position++);
    }

    private Map<String, Object> members() {
        Map<String, Object> result = new LinkedHashMap<>();
        for (char mark = next(); mark != '}'; mark = next()) {
            if (mark == ',') mark = next();
            String key = string();
            next();
            result.put(key, value());
        }
        return result;
    }

    private List<Object> items() {
        List<Object> result = new ArrayList<>();
        for (char mark = next(); mark != ']'; mark = next()) {
            if (mark != ',') position--;
            result.add(value());
        }
        return result;
    }

    private String string() {
        StringBuilder result = new StringBuilder();
        while (true) {
            char c = text.charAt(position++);
            if (c == '"') return result.toString();
            if (c != '\\') {
                result.append(c);
                continue;
            }
            char escape = text.charAt(position++);
            int index = "nrtbf".indexOf(escape);
            if (escape == 'u') {
                result.append((char) Integer.parseInt(text.substring(position, position + 4), 16));
                position += 4;
            } else {
                result.append(index < 0 ? escape : "\n\r\t\b\f".charAt(index));
            }
        }
    }

    private Number number() {
        int start = position;
        while (position < text.length() && "+-.eE0123456789".indexOf(text.charAt(position)) >= 0) position++;
        return Double.valueOf(text.substring(start, position));
    }

    /** Append a string with its quotes. */
    static void append(StringBuilder row, String value) {
        row.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                row.append('\\').append(c);
            } else if (c < ' ' || c == 0x7f || Character.isSurrogate(c)) {
                row.append(String.format("\\u%04x", (int) c));
            } else {
                row.append(c);
            }
        }
        row.append('"');
    }
}
