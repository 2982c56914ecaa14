package main

import (
	"go/ast"
	"go/token"
	"go/types"
)

// header makes the variables of an init statement visible; the texts are their registrations.
func (own *walker) header(init ast.Stmt) string {
	own.push()
	if init == nil {
		return ""
	}
	own.literals(init, own)
	return own.declareAll(own.newNames(init))
}

func (own *walker) declareAll(names []string) string {
	text := ""
	for _, name := range names {
		text += own.declared(name) + "; "
	}
	return text
}

// start inserts a text at the start of a block.
func (own *walker) start(body *ast.BlockStmt, text string) {
	if text != "" {
		own.edits.insert(own.offset(body.Lbrace)+1, " "+text)
	}
}

func (own *walker) ifStatement(statement *ast.IfStmt, line int) {
	declarations := own.header(statement.Init)
	own.literals(statement.Cond, own)
	own.start(statement.Body, declarations)
	own.block(statement.Body.List, line)
	switch each := statement.Else.(type) {
	case *ast.BlockStmt:
		own.start(each, declarations)
		own.block(each.List, 0)
	case *ast.IfStmt:
		// `else if` has an event of its own.
		next := own.line(each.Pos())
		own.edits.insert(own.offset(each.Pos()), "{ "+declarations+own.event(own.site(next))+"; ")
		own.ifStatement(each, next)
		own.edits.insertOuter(own.offset(each.End()), " }")
	}
	own.pop()
}

// loopBody instruments the body of a loop, at whose end the next test has an event.
func (own *walker) loopBody(body *ast.BlockStmt, label, declarations string, site, line int) {
	own.loops = append(own.loops, loop{label, site})
	own.start(body, declarations)
	own.block(body.List, line)
	if site >= 0 {
		own.edits.insert(own.offset(body.Rbrace), "; "+own.event(site)+" ")
	}
	own.loops = own.loops[:len(own.loops)-1]
}

func (own *walker) forStatement(statement *ast.ForStmt, line int) {
	label := own.label
	own.label = ""
	declarations := own.header(statement.Init)
	if statement.Cond != nil {
		own.literals(statement.Cond, own)
	}
	if statement.Post != nil {
		own.literals(statement.Post, own)
	}
	site := -1
	if statement.Cond != nil || statement.Post != nil || own.isOnLine(statement.Body, line) {
		site = own.site(line)
	}
	own.loopBody(statement.Body, label, declarations, site, line)
	own.pop()
}

// isOnLine tells whether a body has no statement that begins on another line.
func (own *walker) isOnLine(body *ast.BlockStmt, line int) bool {
	for _, each := range body.List {
		if own.line(each.Pos()) != line {
			return false
		}
	}
	return true
}

func (own *walker) rangeStatement(statement *ast.RangeStmt, line int) {
	label := own.label
	own.label = ""
	own.literals(statement.X, own)
	site := own.site(line)
	own.push()
	var names []string
	if statement.Tok == token.DEFINE {
		for _, each := range []ast.Expr{statement.Key, statement.Value} {
			if name, is := each.(*ast.Ident); is && name.Name != "_" {
				names = append(names, name.Name)
			}
		}
	}
	declarations := own.declareAll(names)
	own.rangeOverMap(statement)
	own.loopBody(statement.Body, label, declarations, site, line)
	own.pop()
}

// rangeOverMap replaces the order of a map, which Go chooses at random, by that of its keys.
func (own *walker) rangeOverMap(statement *ast.RangeStmt) {
	kind := own.types.TypeOf(statement.X)
	if kind == nil || statement.Key == nil {
		return
	}
	if _, is := kind.Underlying().(*types.Map); !is {
		return
	}
	iteration := own.prefix + "range"
	key, isKey := rangeName(statement.Key, own.prefix+"key")
	value, isValue := rangeName(statement.Value, own.prefix+"value")
	if !isKey || !isValue {
		return
	}
	header := ""
	next := ""
	tracer := own.prefix + "tracer"
	switch {
	case statement.Tok != token.DEFINE:
		header = " _, _, " + iteration + " := " + tracer + ".Range("
		key, value = target(statement.Key), target(statement.Value)
		next = iteration + ".Next(" + key + ", " + value + ")"
	case statement.Value == nil:
		header = " " + key + ", " + iteration + " := " + tracer + ".RangeKeys("
		next = iteration + ".NextKey(&" + key + ")"
	default:
		header = " " + key + ", " + value + ", " + iteration + " := " + tracer + ".Range("
		next = iteration + ".Next(&" + key + ", &" + value + ")"
	}
	start := own.offset(statement.For) + len("for")
	own.edits.replace(start, own.offset(statement.X.Pos()), header)
	own.edits.insertOuter(own.offset(statement.X.End()), "); "+next+"; ")
}

// rangeName is the name of a variable of a `for`, or another one for `_`.
func rangeName(expression ast.Expr, other string) (string, bool) {
	if expression == nil {
		return other, true
	}
	name, is := expression.(*ast.Ident)
	if !is {
		return "", false
	}
	if name.Name == "_" {
		return other, true
	}
	return name.Name, true
}

// target is a pointer to a variable that a `for` assigns to, or nil.
func target(expression ast.Expr) string {
	name, is := expression.(*ast.Ident)
	if !is || name.Name == "_" {
		return "nil"
	}
	return "&" + name.Name
}

func (own *walker) switchStatement(statement *ast.SwitchStmt, line int) {
	// The variables of the init statement are registered in the cases.
	sites := own.caseSites(statement)
	declarations := own.header(statement.Init)
	comparison := own.tag(statement)
	for index, each := range statement.Body.List {
		clause := each.(*ast.CaseClause)
		for position, expression := range clause.List {
			own.literals(expression, own)
			before, after := "", ""
			if sites[index] >= 0 && position == 0 {
				before, after = own.event(sites[index])+" && (", ")"
			}
			if comparison != "" {
				before, after = before+comparison+"(", ")"+after
			}
			if before != "" {
				own.edits.insert(own.offset(expression.Pos()), before)
				own.edits.insertOuter(own.offset(expression.End()), after)
			}
		}
		current := 0
		if sites[index] >= 0 {
			current = own.line(clause.Colon)
		}
		own.clause(clause.Colon, declarations, clause.Body, current)
	}
	own.pop()
}

// tag keeps the value of a switch in a variable, so that its cases become conditions; the text is the
// start of a comparison with it. It is "" if that is not possible.
func (own *walker) tag(statement *ast.SwitchStmt) string {
	if statement.Tag == nil {
		return ""
	}
	own.literals(statement.Tag, own)
	if !own.hasComparisons(statement) {
		return ""
	}
	name := own.prefix + "tag"
	own.edits.insert(own.offset(statement.Tag.Pos()), name+" := (")
	own.edits.insertOuter(own.offset(statement.Tag.End()), ");")
	return name + " == "
}

func (own *walker) hasComparisons(statement *ast.SwitchStmt) bool {
	for _, each := range statement.Body.List {
		if clause := each.(*ast.CaseClause); len(clause.List) > 0 {
			return statement.Tag != nil && statement.Init == nil
		}
	}
	return false
}

// caseSites are the sites of cases, which are tested one after the other; -1 for those without.
func (own *walker) caseSites(statement *ast.SwitchStmt) []int {
	sites := make([]int, len(statement.Body.List))
	for index, each := range statement.Body.List {
		clause := each.(*ast.CaseClause)
		sites[index] = -1
		if len(clause.List) == 0 {
			continue
		}
		basic, is := own.types.TypeOf(clause.List[0]).(*types.Basic)
		isCondition := statement.Tag == nil && is && basic.Info()&types.IsBoolean != 0
		if isCondition || own.hasComparisons(statement) {
			sites[index] = own.site(own.line(clause.Pos()))
		}
	}
	return sites
}

// clause instruments the statements of a case, after its colon.
func (own *walker) clause(colon token.Pos, declarations string, body []ast.Stmt, current int) {
	if declarations != "" {
		own.edits.insert(own.offset(colon)+1, " "+declarations)
	}
	own.block(body, current)
}

func (own *walker) typeSwitch(statement *ast.TypeSwitchStmt, line int) {
	declarations := own.header(statement.Init)
	own.literals(statement.Assign, own)
	name := ""
	if assign, is := statement.Assign.(*ast.AssignStmt); is {
		name = assign.Lhs[0].(*ast.Ident).Name
	}
	for _, each := range statement.Body.List {
		clause := each.(*ast.CaseClause)
		own.push()
		text := declarations
		if name != "" {
			text += own.declared(name) + "; "
		}
		own.clause(clause.Colon, text, clause.Body, 0)
		own.pop()
	}
	own.pop()
}

func (own *walker) selectStatement(statement *ast.SelectStmt, line int) {
	for _, each := range statement.Body.List {
		clause := each.(*ast.CommClause)
		declarations := own.header(clause.Comm)
		own.clause(clause.Colon, declarations, clause.Body, 0)
		own.pop()
	}
}
