package main

func less(a, b int) bool {
	return a < b
}

func sort(n int) []int {
	xs := make([]int, n)
	for i := range xs {
		xs[i] = (i * 37) % n
	}
	for i := 0; i < n; i++ {
		for j := 0; j+1 < n-i; j++ {
			if less(xs[j+1], xs[j]) {
				xs[j], xs[j+1] = xs[j+1], xs[j]
			}
		}
	}
	return xs
}
