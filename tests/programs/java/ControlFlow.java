// Programs whose control flow the tests compare with its graph; each comment is a call.
import java.util.*;
import java.util.function.*;
import java.util.stream.*;
// call: loops(5)
// call: jumps()
// call: sw(1) + sw(2) + sw(3) + sw(9) + ssw("a") + ssw("b") + ssw("q")
// call: errors(0) + errors(1) + errors(2) + errors(3)
// call: deep()
// call: objects()
// call: lambdas(List.of(3, 1, 2))
// call: exprs(1, null)
// call: uncaught(null)
// call: rec(4)
// call: oneline(3)
// call: rethrow(1)
// call: multi("abc", 2)
// call: elses(1) + elses(2) + elses(3)
class ControlFlow {
    static int loops(int n) {
        int total = 0;
        for (int i = 0; i < n; i++) {
            if (i % 2 == 0) {
                continue;
            }
            total += i;
        }
        for (int x : new int[]{1, 2, 3}) total += x;
        for (String k : List.of("a", "b")) {
            total += k.length();
            if (total > 100) break;
        }
        for (int x : List.of(1, 2)) {
            if (x == 1) {
                total += x;
            }
        }
        int j = 0;
        while (j < 3) {
            j++;
            if (j == 2) continue;
            total += j;
        }
        do {
            j--;
        } while (
            j > 0
        );
        for (;;) {
            if (j++ > 2) break;
        }
        while (true) {
            j++;
            if (j > 5) {
                break;
            }
        }
        int a = 0, b = 5;
        while (a < b) { a++; b--; }
        for (int p = 0, q = 3; p < q; p++, q--) {
            int r = p * q;
            total += r;
        }
        Iterator<Integer> it = List.of(1, 2).iterator();
        for (; it.hasNext(); ) {
            total += it.next();
        }
        return total;
    }
    static List<Integer> jumps() {
        List<Integer> out = new ArrayList<>();
        outer:
        for (int a : List.of(1, 2, 3)) {
            for (int b = 0; b < 3; b++) {
                if (b == 1 && a == 1) continue outer;
                if (a == 3) break outer;
                out.add(a * b);
            }
        }
        block: {
            out.add(1);
            if (out.size() > 2) break block;
            out.add(2);
        }
        return out;
    }
    static int sw(int x) {
        int r = 0;
        switch (x) {
            case 1:
                r += 1;
            case 2:
                r += 2;
                break;
            case 3: {
                int y = 3;
                r += y;
                break;
            }
            default:
                r = 100;
        }
        switch (r) {
            case 3 -> r = 9;
            case 2 -> {
                int z = 4;
                r = z;
            }
            default -> throw new IllegalStateException();
        }
        return r;
    }
    static int ssw(String s) {
        int v = switch (s) {
            case "a", "c" -> 1;
            case "b" -> {
                int q = s.length();
                yield q + 1;
            }
            default -> 5;
        };
        switch (s) {
            case "a":
                v++;
                break;
            case "b":
                return v;
        }
        return v;
    }
    static String errors(int k) {
        String r = "";
        try {
            if (k == 0) throw new IllegalArgumentException("zero");
            r += thrower(k);
        } catch (IllegalArgumentException | NullPointerException e) {
            r += e.getMessage();
        } catch (RuntimeException e) {
            r += "rt";
            if (k == 2) {
                return r;
            }
        } finally {
            r += "f";
        }
        try {
            r += "a";
            if (k == 3) return r + "early";
        } finally {
            r += "b";
        }
        for (int x : new int[]{1, 2}) {
            try {
                if (x == 1) continue;
                r += x;
            } finally {
                r += "c";
            }
        }
        try {
            Object o = null;
            o.toString();
        }
        catch (Exception e) {
            r += "d";
        }
        return r;
    }
    static int thrower(int k) {
        if (k > 0) {
            throw new UnsupportedOperationException("big");
        }
        return k;
    }
    static List<String> deep() {
        List<String> log = new ArrayList<>();
        try {
            try {
                thrower(1);
            } finally {
                log.add("inner");
            }
        } catch (UnsupportedOperationException e) {
            log.add(e.getMessage());
        }
        return log;
    }
    static class Base {
        int x;
        List<Integer> items = new ArrayList<>();
        Base(int x) {
            this.x = x;
            items.add(x);
        }
        int value() {
            return x;
        }
        @Override
        public String toString() {
            return "Base" + value();
        }
    }
    static class Derived extends Base implements Comparable<Derived> {
        Derived(int x) {
            super(x + 1);
        }
        Derived() {
            this(3);
        }
        @Override
        int value() {
            return super.value() * 2;
        }
        public int compareTo(Derived other) {
            return Integer.compare(x, other.x);
        }
    }
    static String objects() {
        List<Derived> all = new ArrayList<>(List.of(new Derived(5), new Derived()));
        Collections.sort(all);
        String s = "" + all;
        Base anonymous = new Base(1) {
            @Override
            int value() {
                return 7;
            }
        };
        return s + anonymous.value();
    }
    static List<Object> lambdas(List<Integer> xs) {
        List<Integer> sorted = new ArrayList<>(xs);
        sorted.sort((a, b) -> b - a);
        int total = xs.stream()
            .map(x -> x * 2)
            .filter(x -> {
                return x > 2;
            })
            .reduce(0, (a, b) -> a + b);
        xs.forEach(x ->
            sorted.add(x));
        Function<Integer, Function<Integer, Integer>> add = a -> b -> a + b;
        Map<String, Integer> m = new TreeMap<>();
        for (String w : "a b a".split(" ")) {
            m.merge(w, 1, Integer::sum);
            m.computeIfAbsent("z", k -> 0);
        }
        String text = xs.stream().map(String::valueOf).collect(Collectors.joining(","));
        return List.of(sorted, total, add.apply(1).apply(2), m, text);
    }
    static List<Object> exprs(int a, Integer b) {
        int c = a > 0
            ? loops(1)
            : loops(2);
        boolean d = b != null
            && loops(1) > 0
            || a == 1;
        String s = new StringBuilder()
            .append("x")
            .append(a)
            .reverse()
            .toString();
        int e = Math.max(
            loops(0),
            a);
        int[] arr = {
            1,
            thrower(0),
            3
        };
        arr[thrower(0)] += 2;
        Object o = s;
        if (o instanceof String t && t.length() > 1) e++;
        long g = (long) a * 3 / 2 % 4;
        return new ArrayList<>(Arrays.asList(
            c,
            d,
            s,
            e,
            arr[0],
            g));
    }
    static int uncaught(String x) {
        int r = uncaught2(x);
        return r;
    }
    static int uncaught2(String x) {
        return x.length();
    }
    static int rec(int n) {
        if (n <= 1) return 1;
        return n * rec(n - 1);
    }
    static int oneline(int n) { int r = 0; for (int i = 0; i < n; i++) r += i; while (r > 2) r--; if (r > 0) return r; return 0; }
    static int rethrow(int k) {
        try {
            try {
                thrower(k);
            } catch (RuntimeException e) {
                throw new IllegalStateException("again", e);
            } finally {
                k = 5;
            }
        } catch (IllegalStateException e) {
            return k;
        }
        return 0;
    }
    static String multi(String s, int n) {
        String r = s
            + n
            + s.length();
        if (s.isEmpty() ||
            n > 1) {
            r = r.replace("a",
                "b");
        }
        return r.substring(
            1) + r
            .trim();
    }
    static int elses(int n) {
        int r;
        if (n == 1) {
            int q = 3;
            r = q;
        } else if (n == 2) {
            r = 4;
        } else {
            int w = 5;
            r = w;
        }
        for (int i = 0; i < 2; i++) {
            if (r > 3) {
                r--;
            } else {
                int u = 1;
                r += u;
            }
        }
        return r;
    }
}
