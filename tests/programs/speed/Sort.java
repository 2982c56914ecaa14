import java.util.*;

class Sort {
    static boolean less(int a, int b) {
        return a < b;
    }

    static int[] sort(int n) {
        int[] xs = new int[n];
        for (int i = 0; i < n; i++) {
            xs[i] = (i * 37) % n;
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j + 1 < n - i; j++) {
                if (less(xs[j + 1], xs[j])) {
                    int x = xs[j];
                    xs[j] = xs[j + 1];
                    xs[j + 1] = x;
                }
            }
        }
        return xs;
    }
}
