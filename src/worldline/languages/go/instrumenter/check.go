package main

import (
	"errors"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"strconv"
	"strings"
)

const maxMessages = 10

// program is a source that was parsed and checked.
type program struct {
	source string
	files  *token.FileSet
	tree   *ast.File
	types  *types.Info
}

// Directives that tell the compiler or linker to use other code than the source.
var forbidden = []string{"//go:linkname", "//go:cgo_"}

// check parses a source and checks its types, as the compiler does; the messages are its errors.
func check(source string, packages map[string]string) (*program, []string) {
	checked := &program{source: source, files: token.NewFileSet()}
	tree, err := parser.ParseFile(checked.files, fileName, source, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, syntaxMessages(err)
	}
	checked.tree = tree
	if messages := checked.forbiddenDirectives(); len(messages) > 0 {
		return nil, messages
	}
	checked.types = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Defs:  map[*ast.Ident]types.Object{},
		Uses:  map[*ast.Ident]types.Object{},
	}
	var messages []string
	config := types.Config{
		Importer: importer.ForCompiler(checked.files, "gc", lookup(packages)),
		Error: func(err error) {
			if len(messages) < maxMessages {
				messages = append(messages, typeMessage(err))
			}
		},
	}
	config.Check("main", checked.files, []*ast.File{tree}, checked.types)
	return checked, messages
}

func lookup(packages map[string]string) func(string) (io.ReadCloser, error) {
	return func(name string) (io.ReadCloser, error) {
		file, isKnown := packages[name]
		// The tracer is not for programs.
		if !isKnown || strings.HasPrefix(name, "worldline/") {
			return nil, errors.New("not in the standard library")
		}
		return os.Open(file)
	}
}

func syntaxMessages(err error) []string {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return []string{err.Error()}
	}
	var messages []string
	for _, each := range list {
		if len(messages) < maxMessages {
			messages = append(messages, place(each.Pos)+"syntax error: "+each.Msg)
		}
	}
	return messages
}

func typeMessage(err error) string {
	var failure types.Error
	if !errors.As(err, &failure) {
		return err.Error()
	}
	return place(failure.Fset.Position(failure.Pos)) + failure.Msg
}

func place(position token.Position) string {
	return fileName + ":" + strconv.Itoa(position.Line) + ":" + strconv.Itoa(position.Column) + ": "
}

func (checked *program) forbiddenDirectives() []string {
	var messages []string
	for _, group := range checked.tree.Comments {
		for _, comment := range group.List {
			for _, directive := range forbidden {
				if strings.HasPrefix(comment.Text, directive) {
					position := checked.files.Position(comment.Pos())
					messages = append(messages, place(position)+directive+" is not allowed")
				}
			}
		}
	}
	return messages
}

// line is the line of a position, whatever `//line` directives say.
func (checked *program) line(position token.Pos) int {
	return checked.files.PositionFor(position, false).Line
}

func (checked *program) offset(position token.Pos) int {
	return checked.files.PositionFor(position, false).Offset
}
