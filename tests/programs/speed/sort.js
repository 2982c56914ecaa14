function less(a, b) {
  return a < b;
}

function sort(n) {
  const xs = Array.from({ length: n }, (_, i) => (i * 37) % n);
  for (let i = 0; i < n; i++) {
    for (let j = 0; j + 1 < n - i; j++) {
      if (less(xs[j + 1], xs[j])) {
        [xs[j], xs[j + 1]] = [xs[j + 1], xs[j]];
      }
    }
  }
  return xs;
}
