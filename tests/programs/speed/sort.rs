fn less(a: usize, b: usize) -> bool {
    a < b
}

fn sort(n: usize) -> Vec<usize> {
    let mut xs: Vec<usize> = (0..n).map(|i| (i * 37) % n).collect();
    for i in 0..n {
        for j in 0..n - i - 1 {
            if less(xs[j + 1], xs[j]) {
                xs.swap(j, j + 1);
            }
        }
    }
    xs
}
