package tracer

import (
	"reflect"
	"strconv"
	"strings"
)

var typeNames = map[reflect.Type]string{}

// typeName is the name of a type as programs write it: []int, map[string]any, Point.
func typeName(kind reflect.Type) string {
	name, isKnown := typeNames[kind]
	if !isKnown {
		name = newTypeName(kind)
		typeNames[kind] = name
	}
	return name
}

func newTypeName(kind reflect.Type) string {
	if kind.Name() != "" {
		return namedType(kind)
	}
	switch kind.Kind() {
	case reflect.Slice:
		return "[]" + typeName(kind.Elem())
	case reflect.Array:
		return "[" + strconv.Itoa(kind.Len()) + "]" + typeName(kind.Elem())
	case reflect.Map:
		return "map[" + typeName(kind.Key()) + "]" + typeName(kind.Elem())
	case reflect.Pointer:
		return "*" + typeName(kind.Elem())
	case reflect.Chan:
		return "chan " + typeName(kind.Elem())
	case reflect.Interface:
		if kind.NumMethod() == 0 {
			return "any"
		}
	case reflect.Struct:
		fields := make([]string, kind.NumField())
		for index := range fields {
			fields[index] = kind.Field(index).Name + " " + typeName(kind.Field(index).Type)
		}
		return "struct{" + strings.Join(fields, "; ") + "}"
	}
	return strings.ReplaceAll(kind.String(), "main.", "")
}

// namedType is the name of a type that has one; those of the program are without their package.
func namedType(kind reflect.Type) string {
	if kind.PkgPath() == "" {
		switch kind.Kind() {
		case reflect.Uint8:
			return "byte"
		case reflect.Int32:
			return "rune"
		}
	}
	return strings.ReplaceAll(kind.String(), "main.", "")
}
