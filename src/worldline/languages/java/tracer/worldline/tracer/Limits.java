package worldline.tracer;

import java.util.Map;

/** The limits of a recording. */
record Limits(int steps, double seconds, int valueChars, int traceMb, int outputMb) {
    static Limits of(Map<String, Object> fields) {
        return new Limits(
                number(fields, "steps").intValue(),
                number(fields, "seconds").doubleValue(),
                number(fields, "value_chars").intValue(),
                number(fields, "trace_mb").intValue(),
                number(fields, "output_mb").intValue());
    }

    private static Number number(Map<String, Object> fields, String name) {
        return (Number) fields.get(name);
    }
}
