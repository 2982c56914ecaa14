"""Measure how fast Java programs are recorded, with and without their compilation.

python -m tests.languages.java.record_speed
"""

import sys
import time

from worldline.core.trace import Limits, Program
from worldline.languages.java.jvm_recorder import JavaRecorder

SOURCE = """import java.util.*;
class Sort {
    static boolean less(int a, int b) {
        return a < b;
    }
    static List<Integer> sort(int n) {
        List<Integer> xs = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            xs.add((i * 37) % n);
        }
        for (int i = 0; i < n; i++) {
            for (int j = 0; j + 1 < n - i; j++) {
                if (less(xs.get(j + 1), xs.get(j))) {
                    Collections.swap(xs, j, j + 1);
                }
            }
        }
        return xs;
    }
}
"""


def main() -> None:
    """Record sorts of different sizes, each twice: the second time, it is compiled already."""
    limits = Limits(steps=500_000, trace_mb=500, seconds=60)
    with JavaRecorder() as recorder:
        for size in (1, 2, 3, 4, 5, 40, 150):
            program = Program(SOURCE, f"sort({size})", language="java")
            seconds = []
            for _ in range(2):
                start = time.monotonic()
                trace = recorder.record(program, limits=limits)
                seconds.append(time.monotonic() - start)
            steps = len(trace.steps)
            sys.stdout.write(
                f"{size} items, {steps} steps: {seconds[0]:.2f} s, then {seconds[1]:.2f} s "
                f"({steps / seconds[1]:.0f} steps a second)\n"
            )


if __name__ == "__main__":
    main()
