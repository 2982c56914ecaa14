package main

import (
	"errors"
	"fmt"
	"os"
)

func twice(n int) int {
	y := n * 2
	return y + 1
}

func oneLine() int { x := 1; x++; return x }

func forLoop() {
	for i := 0; i < 2; i++ {
		_ = i
	}
}

func forEach(xs []int) int {
	sum := 0
	for i, x := range xs {
		if i == 1 {
			continue
		}
		sum += x
	}
	return sum
}

func whileLoops() int {
	k := 0
	for k < 2 {
		k++
	}
	for {
		if k > 2 {
			break
		}
		k++
	}
	return k
}

func branches(n int) string {
	if m := n % 3; m == 0 {
		return "zero"
	} else if m == 1 {
		n++
	} else {
		n--
	}
	switch n {
	case 1, 2:
		n = 10
	case 5:
		n = 20
	}
	switch {
	case n < 0:
		return "negative"
	case n > 15:
		return "large"
	default:
		return "small"
	}
}

func shadows(x int) int {
	if x > 0 {
		x := "inner"
		_ = x
	}
	return x
}

func closures(n int) int {
	add := func(x int) int {
		z := x + n
		return z
	}
	return add(1)
}

func fail() {
	var xs []int
	_ = xs[3]
}

func recovered() (text string) {
	defer func() {
		if value := recover(); value != nil {
			text = fmt.Sprint("recovered: ", value)
		}
	}()
	fail()
	return "not reached"
}

func results(n int) (half int, err error) {
	if n%2 == 1 {
		return 0, errors.New("odd")
	}
	half = n / 2
	return
}

func counts(words map[string]int) []string {
	var keys []string
	for key, count := range words {
		if count > 1 {
			keys = append(keys, key)
		}
	}
	return keys
}

func labels() int {
	n := 0
outer:
	for i := 0; i < 2; i++ {
		for j := 0; j < 2; j++ {
			if j == 1 {
				continue outer
			}
			n++
		}
	}
	return n
}

func kinds(value any) string {
	switch v := value.(type) {
	case int:
		return fmt.Sprint(v + 1)
	case string:
		return v
	}
	return ""
}

type Stack struct {
	items []int
}

func (s *Stack) Push(n int) {
	s.items = append(s.items, n)
}

func First[T any](xs []T) T {
	return xs[0]
}

func threads() int {
	results := make(chan int)
	go func() {
		results <- 7
	}()
	return <-results
}

func all() int {
	twice(3)
	oneLine()
	forLoop()
	forEach([]int{1, 2, 3})
	whileLoops()
	branches(4)
	shadows(1)
	closures(4)
	recovered()
	results(3)
	results(4)
	counts(map[string]int{"b": 2, "c": 3, "a": 1})
	labels()
	kinds(1)
	(&Stack{}).Push(5)
	First([]string{"a"})
	return 1
}

func leave() {
	fmt.Println("bye")
	os.Exit(3)
}
