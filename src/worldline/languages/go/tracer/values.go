package tracer

import (
	"errors"
	"reflect"
	"runtime"
	"strconv"
	"strings"
)

// Values are written as Go literals, without calling methods of the program.
const (
	maxDepth = 60
	circular = "<circular>"
)

var (
	errorType   = reflect.TypeOf(errors.New(""))
	builderType = reflect.TypeOf(strings.Builder{})
	// What is being written, to find cycles.
	open []place
)

// place is where a value is in memory; one in another at the same address has another type.
type place struct {
	pointer uintptr
	size    int
	kind    reflect.Type
}

// render appends the text of the variable that a pointer points to.
func render(out []byte, pointer any) []byte {
	switch pointer := pointer.(type) {
	case *int:
		return strconv.AppendInt(out, int64(*pointer), 10)
	case *string:
		if len(*pointer) <= limits.valueChars/4 {
			return appendQuoted(out, *pointer)
		}
	case *bool:
		return strconv.AppendBool(out, *pointer)
	}
	start := len(out)
	value := reflect.ValueOf(pointer).Elem()
	open = open[:0]
	out = appendValue(out, value, false, 0, start+limits.valueChars+1)
	return shorten(out, start)
}

// shorten cuts a value that is too long, at a character.
func shorten(out []byte, start int) []byte {
	if len(out)-start <= limits.valueChars {
		return out
	}
	end := start
	for count := 0; end < len(out); end++ {
		if out[end]&0xc0 == 0x80 {
			continue
		}
		if count == limits.valueChars {
			return append(out[:end], "… <cut: more than "+strconv.Itoa(limits.valueChars)+" characters>"...)
		}
		count++
	}
	return out
}

// appendValue appends a value. With isElided, the type of a literal is known from what contains it.
// Nothing is appended after `end`, which is later cut off.
func appendValue(out []byte, value reflect.Value, isElided bool, depth, end int) []byte {
	if len(out) >= end {
		return out
	}
	if depth > maxDepth {
		return append(out, "<deep>"...)
	}
	switch value.Kind() {
	case reflect.Bool:
		return strconv.AppendBool(out, value.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.AppendInt(out, value.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return strconv.AppendUint(out, value.Uint(), 10)
	case reflect.Float32:
		return appendFloat(out, value.Float(), 32)
	case reflect.Float64:
		return appendFloat(out, value.Float(), 64)
	case reflect.Complex64, reflect.Complex128:
		return append(out, strconv.FormatComplex(value.Complex(), 'g', -1, 128)...)
	case reflect.String:
		text := value.String()
		if len(text) > end-len(out) {
			text = text[:end-len(out)]
		}
		return appendQuoted(out, text)
	case reflect.Slice, reflect.Array:
		return appendItems(out, value, isElided, depth, end)
	case reflect.Map:
		return appendMap(out, value, isElided, depth, end)
	case reflect.Struct:
		return appendStruct(out, value, isElided, depth, end)
	case reflect.Pointer:
		return appendPointer(out, value, depth, end)
	case reflect.Interface:
		return appendInterface(out, value, depth, end)
	case reflect.Func:
		if value.IsNil() {
			return append(out, "nil"...)
		}
		return append(out, "<func>"...)
	}
	if value.Kind() == reflect.Chan && value.IsNil() {
		return append(out, "nil"...)
	}
	return append(append(append(out, '<'), typeName(value.Type())...), '>')
}

func appendQuoted(out []byte, text string) []byte {
	return strconv.AppendQuote(out, text)
}

// appendFloat appends a number that is not taken for an integer: 1.0, 0.5, 1e+21, NaN, +Inf.
func appendFloat(out []byte, value float64, bits int) []byte {
	start := len(out)
	format := byte('f')
	if value != 0 && (value < 0 && (value > -1e-4 || value <= -1e21) || value > 0 && (value < 1e-4 || value >= 1e21)) {
		format = 'e'
	}
	out = strconv.AppendFloat(out, value, format, -1, bits)
	for _, char := range out[start:] {
		if char == '.' || char == 'e' || char == 'N' || char == 'I' {
			return out
		}
	}
	return append(out, ".0"...)
}

func appendItems(out []byte, value reflect.Value, isElided bool, depth, end int) []byte {
	if value.Kind() == reflect.Slice && value.IsNil() {
		return appendNil(out, value, isElided)
	}
	if !isElided {
		out = append(out, typeName(value.Type())...)
	}
	if value.Kind() == reflect.Slice && value.Len() > 0 {
		if !enter(value, value.Len()) {
			return append(out, circular...)
		}
		defer leave()
	}
	out = append(out, '{')
	for index := 0; index < value.Len() && len(out) < end; index++ {
		if index > 0 {
			out = append(out, ", "...)
		}
		out = appendValue(out, value.Index(index), true, depth+1, end)
	}
	return append(out, '}')
}

// enter starts to write a value; the result is false if it is being written already.
func enter(value reflect.Value, size int) bool {
	here := place{value.Pointer(), size, value.Type()}
	for _, each := range open {
		if each == here {
			return false
		}
	}
	open = append(open, here)
	return true
}

func leave() {
	open = open[:len(open)-1]
}

func appendNil(out []byte, value reflect.Value, isElided bool) []byte {
	if isElided {
		return append(out, "nil"...)
	}
	return append(append(out, typeName(value.Type())...), "(nil)"...)
}

func appendMap(out []byte, value reflect.Value, isElided bool, depth, end int) []byte {
	if value.IsNil() {
		return appendNil(out, value, isElided)
	}
	if !isElided {
		out = append(out, typeName(value.Type())...)
	}
	if !enter(value, 0) {
		return append(out, circular...)
	}
	defer leave()
	out = append(out, '{')
	for index, key := range sortedKeys(value) {
		if len(out) >= end {
			break
		}
		if index > 0 {
			out = append(out, ", "...)
		}
		out = appendValue(out, key, true, depth+1, end)
		out = append(out, ": "...)
		out = appendValue(out, value.MapIndex(key), true, depth+1, end)
	}
	return append(out, '}')
}

func appendStruct(out []byte, value reflect.Value, isElided bool, depth, end int) []byte {
	kind := value.Type()
	if kind == builderType {
		out = append(out, "strings.Builder("...)
		return append(appendQuoted(out, string(bytesOf(value.Field(1)))), ')')
	}
	if isHidden(kind) {
		return append(append(append(out, '<'), typeName(kind)...), '>')
	}
	if !isElided {
		out = append(out, typeName(kind)...)
	}
	out = append(out, '{')
	for index := 0; index < value.NumField() && len(out) < end; index++ {
		if index > 0 {
			out = append(out, ", "...)
		}
		out = append(append(out, kind.Field(index).Name...), ": "...)
		out = appendValue(out, value.Field(index), false, depth+1, end)
	}
	return append(out, '}')
}

func bytesOf(value reflect.Value) []byte {
	if value.Len() == 0 {
		return nil
	}
	return value.Bytes()
}

// isHidden tells whether a struct is one of the standard library with fields that are not exported.
func isHidden(kind reflect.Type) bool {
	if kind.PkgPath() == "main" || kind.PkgPath() == "" {
		return false
	}
	for index := 0; index < kind.NumField(); index++ {
		if !kind.Field(index).IsExported() {
			return true
		}
	}
	return false
}

func appendPointer(out []byte, value reflect.Value, depth, end int) []byte {
	if value.IsNil() {
		return append(out, "nil"...)
	}
	if value.Type() == errorType {
		out = append(out, "errors.New("...)
		return append(appendQuoted(out, value.Elem().Field(0).String()), ')')
	}
	if text, isError := libraryError(value); isError {
		return append(out, text...)
	}
	if !enter(value, 0) {
		return append(out, circular...)
	}
	defer leave()
	return appendValue(append(out, '&'), value.Elem(), false, depth+1, end)
}

// libraryError is the text of an error of the standard library whose fields are not exported, such as
// those that fmt.Errorf creates. Its method Error is called, which may call one of the program.
func libraryError(value reflect.Value) (text string, isError bool) {
	kind := value.Type().Elem()
	if kind.PkgPath() != "fmt" || !value.CanInterface() {
		return "", false
	}
	defer func() {
		if recover() != nil {
			isError = false
		}
	}()
	if err, is := value.Interface().(error); is {
		return "fmt.Errorf(" + strconv.Quote(err.Error()) + ")", true
	}
	return "", false
}

// appendInterface appends the value in an interface, with its type if the literal does not show it.
func appendInterface(out []byte, value reflect.Value, depth, end int) []byte {
	if value.IsNil() {
		return append(out, "nil"...)
	}
	value = value.Elem()
	if value.CanInterface() {
		if err, is := value.Interface().(runtime.Error); is && value.Type().PkgPath() != "main" {
			return append(append(append(out, "runtime.Error("...), strconv.Quote(err.Error())...), ')')
		}
	}
	kind := value.Type()
	isPlain := true
	switch value.Kind() {
	case reflect.Int, reflect.String, reflect.Bool, reflect.Float64:
		isPlain = kind.PkgPath() == ""
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16,
		reflect.Uint32, reflect.Uint64, reflect.Uintptr, reflect.Float32:
		isPlain = false
	}
	if isPlain {
		return appendValue(out, value, false, depth+1, end)
	}
	out = append(append(out, typeName(kind)...), '(')
	return append(appendValue(out, value, false, depth+1, end), ')')
}
