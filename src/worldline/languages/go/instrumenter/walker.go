package main

import (
	"go/ast"
	"go/token"
	"strconv"
)

// variable is one that is visible: its name, and its slot in the frame.
type variable struct {
	name string
	slot int
}

// loop is a loop around a statement: its label, and the site of its further tests.
type loop struct {
	label string
	site  int
}

// walker instruments the statements of one function, with the variables that are visible.
type walker struct {
	*instrumenter
	function     *function
	id           int
	outer        *walker
	literalCount int
	scopes       [][]variable
	loops        []loop
	label        string
}

// root is the walker of the function that contains all others, and counts its literals.
func (own *walker) root() *walker {
	for own.outer != nil {
		own = own.outer
	}
	return own
}

func (own *walker) push() {
	own.scopes = append(own.scopes, nil)
}

func (own *walker) pop() {
	own.scopes = own.scopes[:len(own.scopes)-1]
}

// add makes a new variable visible in the innermost scope; the result is its slot.
func (own *walker) add(name string) int {
	index := -1
	for each, known := range own.function.names {
		if known == name {
			index = each
		}
	}
	if index < 0 {
		index = len(own.function.names)
		own.function.names = append(own.function.names, name)
	}
	slot := len(own.function.slots)
	own.function.slots = append(own.function.slots, index)
	last := len(own.scopes) - 1
	own.scopes[last] = append(own.scopes[last], variable{name, slot})
	return slot
}

// declared adds a variable; the result is the text of its registration.
func (own *walker) declared(name string) string {
	return own.registered(variable{name, own.add(name)})
}

func (own *walker) registered(each variable) string {
	return own.frame() + ".Declare(" + strconv.Itoa(each.slot) + ", &" + each.name + ")"
}

// site adds a site with the variables that are visible now.
func (own *walker) site(line int) int {
	slots := []int{}
	isHidden := map[string]bool{}
	for index := len(own.scopes) - 1; index >= 0; index-- {
		for position := len(own.scopes[index]) - 1; position >= 0; position-- {
			each := own.scopes[index][position]
			if !isHidden[each.name] {
				isHidden[each.name] = true
				slots = append(slots, each.slot)
			}
		}
	}
	for left, right := 0, len(slots)-1; left < right; left, right = left+1, right-1 {
		slots[left], slots[right] = slots[right], slots[left]
	}
	own.sites = append(own.sites, site{line, slots})
	return len(own.sites) - 1
}

func (own *walker) event(site int) string {
	return own.instrumenter.frame() + ".Line(" + strconv.Itoa(site) + ")"
}

// block instruments statements. Those on the line `current`, which has an event already, have none.
func (own *walker) block(statements []ast.Stmt, current int) {
	own.push()
	own.list(statements, current)
	own.pop()
}

func (own *walker) list(statements []ast.Stmt, current int) {
	for _, each := range statements {
		first, last := own.line(each.Pos()), own.line(each.End())
		own.statement(each, current)
		if hasEvent(each) {
			current = first
		}
		if last != first {
			current = 0
		}
	}
}

// hasEvent tells whether a statement itself is executed: not a declaration of types or constants.
func hasEvent(statement ast.Stmt) bool {
	switch each := statement.(type) {
	case *ast.EmptyStmt, *ast.BlockStmt:
		return false
	case *ast.DeclStmt:
		declaration, is := each.Decl.(*ast.GenDecl)
		return is && declaration.Tok == token.VAR
	case *ast.SwitchStmt:
		// Nothing is executed before the first case.
		return each.Init != nil || each.Tag != nil
	}
	return true
}

// statement instruments one statement of a list.
func (own *walker) statement(statement ast.Stmt, current int) {
	labeled, isLabeled := statement.(*ast.LabeledStmt)
	start := statement.Pos()
	if isLabeled {
		own.label = labeled.Label.Name
		statement = labeled.Stmt
		switch statement.(type) {
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			// The label stays at the statement that `break` and `continue` name.
		default:
			start = statement.Pos()
		}
	}
	line := own.line(statement.Pos())
	if hasEvent(statement) && line != current {
		own.edits.insert(own.offset(start), own.event(own.site(line))+"; ")
	}
	own.inside(statement, line)
	own.label = ""
}

// inside instruments what is in a statement, and registers the variables that it declares.
func (own *walker) inside(statement ast.Stmt, line int) {
	switch each := statement.(type) {
	case *ast.BlockStmt:
		own.block(each.List, 0)
	case *ast.LabeledStmt:
		own.statement(each, line)
	case *ast.IfStmt:
		own.ifStatement(each, line)
	case *ast.ForStmt:
		own.forStatement(each, line)
	case *ast.RangeStmt:
		own.rangeStatement(each, line)
	case *ast.SwitchStmt:
		own.switchStatement(each, line)
	case *ast.TypeSwitchStmt:
		own.typeSwitch(each, line)
	case *ast.SelectStmt:
		own.selectStatement(each, line)
	case *ast.BranchStmt:
		own.branch(each)
	default:
		own.simple(statement)
	}
}

// simple instruments a statement without blocks.
func (own *walker) simple(statement ast.Stmt) {
	own.literals(statement, own)
	text := ""
	for _, name := range own.newNames(statement) {
		text += "; " + own.declared(name)
	}
	if text != "" {
		own.edits.insert(own.offset(statement.End()), text)
	}
	switch statement.(type) {
	case *ast.GoStmt:
		own.hasThreads = true
	case *ast.DeferStmt:
		// A panic has its event before the functions that it calls.
		own.edits.insert(own.offset(statement.End()),
			"; defer func() { "+own.frame()+".Unwind(recover()) }()")
	}
}

// newNames are the variables that a statement declares.
func (own *walker) newNames(statement ast.Stmt) []string {
	var names []*ast.Ident
	switch each := statement.(type) {
	case *ast.AssignStmt:
		if each.Tok != token.DEFINE {
			return nil
		}
		for _, left := range each.Lhs {
			if name, is := left.(*ast.Ident); is && own.types.Defs[name] != nil {
				names = append(names, name)
			}
		}
	case *ast.DeclStmt:
		declaration, is := each.Decl.(*ast.GenDecl)
		if !is || declaration.Tok != token.VAR {
			return nil
		}
		for _, spec := range declaration.Specs {
			if values, is := spec.(*ast.ValueSpec); is {
				names = append(names, values.Names...)
			}
		}
	}
	return texts(names)
}

func texts(names []*ast.Ident) []string {
	var result []string
	for _, name := range names {
		if name.Name != "_" {
			result = append(result, name.Name)
		}
	}
	return result
}

// branch records the test of a loop that `continue` goes to.
func (own *walker) branch(statement *ast.BranchStmt) {
	if statement.Tok != token.CONTINUE {
		return
	}
	for index := len(own.loops) - 1; index >= 0; index-- {
		each := own.loops[index]
		if statement.Label == nil || statement.Label.Name == each.label {
			if each.site >= 0 {
				own.edits.insert(own.offset(statement.Pos()), own.event(each.site)+"; ")
			}
			return
		}
	}
}
