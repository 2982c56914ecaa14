package tracer

import (
	"reflect"
	"sort"
)

// Go iterates over a map in an order that it chooses at random. Instrumented programs iterate in the
// order of the keys, as Go's own fmt prints a map, so that every execution is the same.

// MapRange is an iteration over a map. Entries that are added meanwhile are not visited, and those that
// are removed are not visited any more, as the language allows.
type MapRange[K comparable, V any] struct {
	items  map[K]V
	keys   []K
	values []V
	index  int
}

// Range starts an iteration; the results are variables for the key and the value.
func Range[M ~map[K]V, K comparable, V any](items M) (K, V, *MapRange[K, V]) {
	var key K
	var value V
	iteration := &MapRange[K, V]{items: items}
	for _, each := range sortedKeys(reflect.ValueOf(items)) {
		reflect.ValueOf(&key).Elem().Set(each)
		iteration.keys = append(iteration.keys, key)
		// A key that is not equal to itself cannot be looked up.
		if key != key {
			iteration.addValues()
			break
		}
	}
	var zero K
	return zero, value, iteration
}

// RangeKeys starts an iteration over keys.
func RangeKeys[M ~map[K]V, K comparable, V any](items M) (K, *MapRange[K, V]) {
	key, _, iteration := Range(items)
	return key, iteration
}

// addValues takes all entries now.
func (iteration *MapRange[K, V]) addValues() {
	iteration.keys = nil
	for key, value := range iteration.items {
		iteration.keys = append(iteration.keys, key)
		iteration.values = append(iteration.values, value)
	}
}

// Next sets the variables to the next entry; the result is false if there is none.
func (iteration *MapRange[K, V]) Next(key *K, value *V) bool {
	for iteration.index < len(iteration.keys) {
		index := iteration.index
		iteration.index++
		current, isThere := iteration.items[iteration.keys[index]]
		if iteration.values != nil {
			current, isThere = iteration.values[index], true
		}
		if isThere {
			assign(key, iteration.keys[index])
			assign(value, current)
			return true
		}
	}
	return false
}

func assign[T any](target *T, value T) {
	if target != nil {
		*target = value
	}
}

// NextKey sets the variable to the next key; the result is false if there is none.
func (iteration *MapRange[K, V]) NextKey(key *K) bool {
	var value V
	return iteration.Next(key, &value)
}

func sortedKeys(items reflect.Value) []reflect.Value {
	keys := items.MapKeys()
	sort.SliceStable(keys, func(left, right int) bool { return compareKeys(keys[left], keys[right]) < 0 })
	return keys
}

// compareKeys orders values as fmt does: by number, text, or field after field; by type in interfaces.
func compareKeys(left, right reflect.Value) int {
	switch left.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return order(left.Int(), right.Int())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return order(left.Uint(), right.Uint())
	case reflect.Float32, reflect.Float64:
		return order(left.Float(), right.Float())
	case reflect.String:
		return order(left.String(), right.String())
	case reflect.Bool:
		return order(number(left.Bool()), number(right.Bool()))
	case reflect.Pointer, reflect.Chan, reflect.UnsafePointer:
		return order(left.Pointer(), right.Pointer())
	case reflect.Array:
		for index := 0; index < left.Len(); index++ {
			if result := compareKeys(left.Index(index), right.Index(index)); result != 0 {
				return result
			}
		}
	case reflect.Struct:
		for index := 0; index < left.NumField(); index++ {
			if result := compareKeys(left.Field(index), right.Field(index)); result != 0 {
				return result
			}
		}
	case reflect.Interface:
		return compareInterfaces(left, right)
	}
	return 0
}

func compareInterfaces(left, right reflect.Value) int {
	if left.IsNil() || right.IsNil() {
		return order(number(!left.IsNil()), number(!right.IsNil()))
	}
	left, right = left.Elem(), right.Elem()
	if left.Type() != right.Type() {
		return order(left.Type().String(), right.Type().String())
	}
	return compareKeys(left, right)
}

func number(is bool) int {
	if is {
		return 1
	}
	return 0
}

type ordered interface {
	~int | ~int64 | ~uint64 | ~uintptr | ~float64 | ~string
}

func order[T ordered](left, right T) int {
	if left < right {
		return -1
	}
	if left > right {
		return 1
	}
	return 0
}
