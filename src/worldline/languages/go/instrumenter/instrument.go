package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// function is a row of the tracer's table of functions (tracer.Function).
type function struct {
	name       string
	line       int
	names      []string
	parameters int
	slots      []int
}

// site is a row of the tracer's table of sites (tracer.Site).
type site struct {
	line  int
	slots []int
}

// instrumenter inserts calls of the tracer into a program.
type instrumenter struct {
	*program
	edits      edits
	prefix     string
	functions  []*function
	sites      []site
	hasThreads bool
	mainObject types.Object
}

// instrument gives the text of the program with calls of the tracer, and of a second file with the
// tables and `main`; or a message, if there is no entry point.
func instrument(checked *program, entry string) (text, tables, message string) {
	own := &instrumenter{program: checked, prefix: "wl_"}
	for strings.Contains(checked.source, own.prefix) {
		own.prefix += "_"
	}
	own.mainObject = own.functionObject("main")
	if entry == "" {
		entry = "main"
	}
	called := own.functionObject(entry)
	if called == nil {
		if entry == "main" {
			return "", "", "there is no function main: give a call"
		}
		return "", "", "there is no function " + entry
	}
	own.renamePackage()
	for _, declaration := range checked.tree.Decls {
		own.declaration(declaration)
	}
	own.renameMain()
	if called == own.mainObject {
		entry = own.prefix + "main"
	}
	return own.edits.apply(checked.source), own.tables(entry), ""
}

func (own *instrumenter) functionObject(name string) types.Object {
	for _, declaration := range own.tree.Decls {
		if each, is := declaration.(*ast.FuncDecl); is && each.Recv == nil && each.Name.Name == name {
			return own.types.Defs[each.Name]
		}
	}
	return nil
}

func (own *instrumenter) renamePackage() {
	name := own.tree.Name
	own.edits.replace(own.offset(name.Pos()), own.offset(name.End()),
		"main; import "+own.prefix+"tracer \"worldline/tracer\"")
}

// renameMain gives another name to `main`, which starts the tracer.
func (own *instrumenter) renameMain() {
	if own.mainObject == nil {
		return
	}
	for _, objects := range []map[*ast.Ident]types.Object{own.types.Defs, own.types.Uses} {
		for name, object := range objects {
			if object == own.mainObject {
				own.edits.replace(own.offset(name.Pos()), own.offset(name.End()), own.prefix+"main")
			}
		}
	}
}

func (own *instrumenter) declaration(declaration ast.Decl) {
	each, is := declaration.(*ast.FuncDecl)
	if !is {
		own.literals(declaration, &walker{instrumenter: own, function: &function{}})
		return
	}
	if each.Body != nil {
		own.body(functionName(each), each.Pos(), each.Recv, each.Type, each.Body, nil, nil)
	}
}

// functionName is a name such as f or (*Stack).Push.
func functionName(declaration *ast.FuncDecl) string {
	if declaration.Recv == nil || len(declaration.Recv.List) == 0 {
		return declaration.Name.Name
	}
	kind := declaration.Recv.List[0].Type
	star := ""
	for {
		switch each := kind.(type) {
		case *ast.StarExpr:
			star, kind = "*", each.X
			continue
		case *ast.ParenExpr:
			kind = each.X
			continue
		case *ast.IndexExpr:
			kind = each.X
			continue
		case *ast.IndexListExpr:
			kind = each.X
			continue
		case *ast.Ident:
			if star != "" {
				return "(*" + each.Name + ")." + declaration.Name.Name
			}
			return each.Name + "." + declaration.Name.Name
		}
		return declaration.Name.Name
	}
}

// body instruments a function; captured variables of a literal follow its parameters.
func (own *instrumenter) body(name string, start token.Pos, receiver *ast.FieldList, kind *ast.FuncType, body *ast.BlockStmt, captured []*types.Var, outer *walker) {
	new := &function{name: name, line: own.line(start)}
	inner := &walker{instrumenter: own, function: new, id: len(own.functions), outer: outer}
	own.functions = append(own.functions, new)
	inner.push()
	var pointers []string
	for _, list := range []*ast.FieldList{receiver, kind.Params} {
		for _, name := range fieldNames(list) {
			inner.add(name.Name)
			pointers = append(pointers, ", &"+name.Name)
		}
	}
	for _, each := range captured {
		inner.add(each.Name())
		pointers = append(pointers, ", &"+each.Name())
	}
	new.parameters = len(new.names)
	text := own.frame() + " := " + own.prefix + "tracer.Enter(" + strconv.Itoa(inner.id) + strings.Join(pointers, "") + ")"
	text += "; defer func() { " + own.frame() + ".Leave(recover()" + own.results(kind.Results) + ") }(); "
	for _, name := range fieldNames(kind.Results) {
		text += inner.declared(name.Name) + "; "
	}
	own.edits.insert(own.offset(body.Lbrace)+1, " "+text)
	inner.block(body.List, 0)
	inner.pop()
}

// frame is the name of the variable with the tracer's frame.
func (own *instrumenter) frame() string {
	return own.prefix + "frame"
}

func fieldNames(list *ast.FieldList) []*ast.Ident {
	var names []*ast.Ident
	if list == nil {
		return nil
	}
	for _, field := range list.List {
		for _, name := range field.Names {
			if name.Name != "_" {
				names = append(names, name)
			}
		}
	}
	return names
}

// results gives names to results without one; the text has pointers to all of them.
func (own *instrumenter) results(list *ast.FieldList) string {
	if list == nil {
		return ""
	}
	text := ""
	count := 0
	newName := func() string {
		count++
		return own.prefix + "result" + strconv.Itoa(count)
	}
	for _, field := range list.List {
		if len(field.Names) == 0 {
			name := newName()
			text += ", &" + name
			own.edits.insert(own.offset(field.Type.Pos()), name+" ")
		}
		for _, each := range field.Names {
			name := each.Name
			if name == "_" {
				name = newName()
				own.edits.replace(own.offset(each.Pos()), own.offset(each.End()), name)
			}
			text += ", &" + name
		}
	}
	if !list.Opening.IsValid() && count > 0 {
		own.edits.insertBefore(own.offset(list.Pos()), "(")
		own.edits.insertOuter(own.offset(list.End()), ")")
	}
	return text
}

// literals instruments the function literals in a node.
func (own *instrumenter) literals(node ast.Node, outer *walker) {
	ast.Inspect(node, func(each ast.Node) bool {
		literal, is := each.(*ast.FuncLit)
		if !is {
			return true
		}
		root := outer.root()
		root.literalCount++
		name := "func" + strconv.Itoa(root.literalCount)
		if root.function.name != "" {
			name = root.function.name + "." + name
		}
		captured := own.captured(literal)
		own.body(name, literal.Pos(), nil, literal.Type, literal.Body, captured, root)
		return false
	})
}

// captured are the variables of other functions that a literal uses, in the order of their first use.
func (own *instrumenter) captured(literal *ast.FuncLit) []*types.Var {
	var result []*types.Var
	isKnown := map[types.Object]bool{}
	ast.Inspect(literal.Body, func(each ast.Node) bool {
		name, is := each.(*ast.Ident)
		if !is {
			return true
		}
		variable, is := own.types.Uses[name].(*types.Var)
		if !is || isKnown[variable] || variable.IsField() || variable.Name() == "_" {
			return true
		}
		isOutside := variable.Pos() < literal.Pos() || variable.Pos() >= literal.End()
		isOwn := variable.Pkg() != nil && variable.Pkg().Path() == "main"
		if isOwn && isOutside && !own.isGlobal(variable) {
			isKnown[variable] = true
			result = append(result, variable)
		}
		return true
	})
	return result
}

// isGlobal tells whether a variable belongs to the package.
func (own *instrumenter) isGlobal(variable *types.Var) bool {
	return variable.Pkg().Scope().Lookup(variable.Name()) == variable
}

// tables is the file with the tables and `main`.
func (own *instrumenter) tables(entry string) string {
	var out strings.Builder
	tracer := own.prefix + "tracer"
	out.WriteString("package main\n\nimport " + tracer + " \"worldline/tracer\"\n\nfunc main() {\n")
	out.WriteString("\t" + tracer + ".Run([]" + tracer + ".Function{\n")
	for _, each := range own.functions {
		names := make([]string, len(each.names))
		for index, name := range each.names {
			names[index] = strconv.Quote(name)
		}
		out.WriteString("\t\t{" + strconv.Quote(each.name) + ", " + strconv.Itoa(each.line) + ", []string{" +
			strings.Join(names, ", ") + "}, " + strconv.Itoa(each.parameters) + ", " + integers(each.slots) + "},\n")
	}
	out.WriteString("\t}, []" + tracer + ".Site{\n")
	for _, each := range own.sites {
		out.WriteString("\t\t{" + strconv.Itoa(each.line) + ", " + integers(each.slots) + "},\n")
	}
	out.WriteString("\t}, " + strconv.FormatBool(own.hasThreads) + ", func() { " + entry + "() })\n}\n")
	return out.String()
}

func integers(numbers []int) string {
	texts := make([]string, len(numbers))
	for index, number := range numbers {
		texts[index] = strconv.Itoa(number)
	}
	return "[]int{" + strings.Join(texts, ", ") + "}"
}
