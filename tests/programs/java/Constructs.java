import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Constructs of Java whose events the tests check; everything(n) executes all of them. */
public class Constructs {
    enum Color {
        RED, GREEN;

        Color next() {
            return values()[(ordinal() + 1) % values().length];
        }
    }

    record Point(int x, int y) {
        Point {
            if (x < 0) {
                throw new IllegalArgumentException("x is " + x);
            }
        }

        int sum() {
            return x + y;
        }
    }

    interface Shape {
        double area();

        default String describe() {
            return "area " + area();
        }
    }

    static class Base {
        protected final String name;
        private int count = 3;

        Base(String name) {
            this.name = name;
        }

        int count() {
            return count;
        }
    }

    static class Square extends Base implements Shape {
        private final double side;

        Square(double side) {
            super(side > 1 ? new String("large") : String.valueOf(new StringBuilder("small")));
            this.side = side;
        }

        @Override
        public double area() {
            return side * side;
        }
    }

    static class Resource implements AutoCloseable {
        final List<String> log;

        Resource(List<String> log) {
            this.log = log;
            log.add("open");
        }

        @Override
        public void close() {
            log.add("close");
        }
    }

    static final Map<String, Integer> SIZES = new TreeMap<>();

    static {
        SIZES.put("a", 1);
    }

    static int sum(int... numbers) {
        int total = 0;
        for (int n : numbers) {
            if (n < 0) {
                continue;
            }
            total += n;
        }
        return total;
    }

    static List<Object> loops(int n) {
        List<Object> seen = new ArrayList<>();
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; ; j++) {
                if (j > i) continue outer;
                if (j == 2) break outer;
                seen.add(i * 10 + j);
            }
        }
        int k = n;
        while (k > 0)
            k--;
        do {
            k += 2;
        } while (k < n);
        for (Object each : List.copyOf(seen)) {
            seen.add(each);
        }
        long wide = 1L << 40;
        double real = wide / 3.0;
        seen.add(wide + k);
        seen.add(real > 1 ? 'y' : 'n');
        return seen;
    }

    static String classify(Object value) {
        switch (String.valueOf(value)) {
            case "a":
                return "first";
            case "b":
                break;
            default:
                if (value instanceof Integer number && number > 5) {
                    return "large";
                }
        }
        int code = value instanceof Integer number ? number : -1;
        return switch (code) {
            case 1, 2 -> "small";
            case 3 -> {
                String text = "three";
                yield text + "!";
            }
            case 1000 -> "sparse";
            default -> """
                other
                  "kind"
                """;
        };
    }

    static int divide(int a, int b) {
        return a / b;
    }

    static String safely(int a, int b) {
        StringBuilder log = new StringBuilder();
        try {
            log.append(divide(a, b));
        } catch (ArithmeticException error) {
            log.append(error.getMessage());
        } finally {
            log.append(";");
        }
        return log.toString();
    }

    static List<String> resources() {
        List<String> log = new ArrayList<>();
        try (Resource one = new Resource(log); Resource two = new Resource(log)) {
            log.add("use");
            throw new IllegalStateException("stop");
        } catch (IllegalStateException error) {
            log.add(error.getMessage());
        }
        return log;
    }

    static List<Integer> lambdas(List<Integer> numbers) {
        int offset = numbers.size();
        Function<Integer, Integer> twice = n -> n * 2;
        Supplier<Supplier<Integer>> nested = () -> () -> offset;
        Comparator<Integer> reverse = new Comparator<>() {
            @Override
            public int compare(Integer a, Integer b) {
                return b.compareTo(a);
            }
        };
        List<Integer> result = numbers.stream()
                .map(twice)
                .filter(n -> {
                    int limit = 3;
                    return n > limit;
                })
                .collect(Collectors.toList());
        result.sort(reverse);
        result.add(nested.get().get());
        return result;
    }

    synchronized int instance(int n) {
        class Local {
            int value = n;

            int twice() {
                return value * 2;
            }
        }
        return n == 0 ? 0 : new Local().twice() + instance(n - 1);
    }

    static void nothing() {
    }

    static Object everything(int n) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("sum", sum(1, -1, n));
        all.put("loops", loops(n));
        all.put("classify", List.of(classify("a"), classify("b"), classify(9), classify(3), classify(1)));
        all.put("safely", safely(1, 0) + safely(6, 3));
        all.put("resources", resources());
        all.put("lambdas", lambdas(List.of(1, 2, 3)));
        all.put("instance", new Constructs().instance(n));
        all.put("color", Color.RED.next());
        Square square = new Square(2);
        all.put("square", square.describe() + square.name + square.count());
        try {
            new Point(-1, 0);
        } catch (IllegalArgumentException error) {
            all.put("point", new Point(1, 2).sum() + error.getMessage());
        }
        int[][] grid = new int[2][3];
        grid[1][2] = n;
        all.put("grid", Arrays.deepToString(grid));
        nothing();
        return all;
    }

    public static void main(String[] args) {
        System.out.println(everything(3));
    }
}
