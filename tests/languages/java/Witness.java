import com.sun.jdi.*;
import com.sun.jdi.connect.*;
import com.sun.jdi.event.*;
import com.sun.jdi.request.*;
import java.io.InputStream;
import java.util.*;

/**
 * A debugger that stops at every line of a program: prints the method, the line, and the variables that
 * are numbers, booleans, characters or strings, one stop in a row.
 *
 * <p>Arguments: the class path of the program, its main class, and the classes to stop in, by prefix.
 */
class Witness {
    public static void main(String[] arguments) throws Exception {
        LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
        Map<String, Connector.Argument> options = connector.defaultArguments();
        options.get("options").setValue("-cp " + arguments[0]);
        options.get("main").setValue(arguments[1]);
        VirtualMachine machine = connector.launch(options);
        drain(machine.process().getInputStream());
        drain(machine.process().getErrorStream());
        ClassPrepareRequest prepare = machine.eventRequestManager().createClassPrepareRequest();
        prepare.addClassFilter(arguments[2] + "*");
        prepare.setSuspendPolicy(EventRequest.SUSPEND_ALL);
        prepare.enable();
        StringBuilder out = new StringBuilder();
        while (true) {
            EventSet events = machine.eventQueue().remove();
            for (Event event : events) {
                if (event instanceof ClassPrepareEvent prepared) {
                    stopAtLines(machine, prepared.referenceType());
                } else if (event instanceof BreakpointEvent stop) {
                    describe(out, stop);
                } else if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
                    System.out.print(out);
                    return;
                }
            }
            events.resume();
        }
    }

    private static void drain(InputStream stream) {
        Thread thread = new Thread(() -> {
            try {
                stream.readAllBytes();
            } catch (java.io.IOException ignored) {
                // The program has ended.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    private static void stopAtLines(VirtualMachine machine, ReferenceType type) throws Exception {
        for (Method method : type.methods()) {
            if (method.isAbstract() || method.isNative() || method.name().equals("<clinit>")) continue;
            try {
                for (Location location : method.allLineLocations()) {
                    machine.eventRequestManager().createBreakpointRequest(location).enable();
                }
            } catch (AbsentInformationException ignored) {
                // Of the compiler.
            }
        }
    }

    private static void describe(StringBuilder out, BreakpointEvent stop) throws Exception {
        StackFrame frame = stop.thread().frame(0);
        out.append(frame.location().method().name()).append('\t').append(frame.location().lineNumber());
        for (Map.Entry<LocalVariable, Value> each : frame.getValues(frame.visibleVariables()).entrySet()) {
            Value value = each.getValue();
            String text = value == null ? "null" : null;
            if (value instanceof StringReference string) text = "s" + HexFormat.of().formatHex(string.value().getBytes("UTF-8"));
            if (value instanceof CharValue c) text = "c" + (int) c.value();
            if (value instanceof PrimitiveValue && !(value instanceof CharValue)) text = value.toString();
            if (text != null) out.append('\t').append(each.getKey().name()).append('=').append(text);
        }
        out.append('\n');
    }
}
