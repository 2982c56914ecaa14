import java.util.*;
import java.util.function.*;

class Events {
    static int twice(int n) {
        int y = n * 2;
        return y + 1;
    }

    static int oneLine() { int a = 1; a += 1; return a; }

    static void forLoop() {
        for (int i = 0; i < 2; i++) {
            oneLine();
        }
    }

    static int forEach(List<Integer> xs) {
        for (int x : xs) {
            int y = x;
        }
        return 0;
    }

    static void whileLoops() {
        int k = 0;
        while (k < 1)
            k++;
        do k--; while (k > 0);
        for (int i = 0; i < 2; i++) k += i;
    }

    static void fail() {
        throw new IllegalStateException("no");
    }

    static String caught() {
        try {
            fail();
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
        return "never";
    }

    static int withFinally() {
        int a = 1;
        try {
            return a;
        } finally {
            a = 2;
        }
    }

    static int unassigned(boolean flag) {
        int x;
        if (flag)
            x = 1;
        else
            x = 2;
        return x;
    }

    static int lambda(int n) {
        IntUnaryOperator f = x -> {
            int z = x + n;
            return z;
        };
        return f.applyAsInt(1);
    }

    static int rethrown() {
        try {
            try {
                fail();
            } finally {
                oneLine();
            }
        } catch (RuntimeException e) {
            throw new IllegalArgumentException(e);
        }
        return 1;
    }

    static List<Object> all() {
        List<Object> result = new ArrayList<>();
        result.add(twice(3));
        forLoop();
        result.add(forEach(List.of(1, 2)));
        whileLoops();
        result.add(caught());
        result.add(withFinally());
        result.add(unassigned(true));
        result.add(lambda(4));
        try {
            rethrown();
        } catch (IllegalArgumentException e) {
            result.add(e.getCause() != null);
        }
        return result;
    }
}
