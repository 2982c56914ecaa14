package worldline.tracer;

import java.util.ArrayList;
import java.util.List;

/** The instrumented methods, and the places in them that call the tracer. */
final class Sites {
    /**
     * A method.
     *
     * @param name Its name with its class, such as "Problem.f".
     * @param line The line of its call events.
     * @param variables All names of its variables; those of the parameters come first.
     * @param parameters The number of parameters, with `this`.
     */
    record Function(int id, String name, int line, List<String> variables, int parameters) {}

    /** A place before a line, and the indices of the variables that can be read there. */
    record Site(Function function, int line, int[] variables) {}

    private final List<Site> sites = new ArrayList<>();
    private int functions;

    Function function(String name, int line, List<String> variables, int parameters) {
        return new Function(functions++, name, line, variables, parameters);
    }

    int add(Function function, int line, int[] variables) {
        sites.add(new Site(function, line, variables));
        return sites.size() - 1;
    }

    Site get(int number) {
        return sites.get(number);
    }
}
