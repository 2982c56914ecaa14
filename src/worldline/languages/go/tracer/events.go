// Package tracer records the steps of an instrumented program, in its process.
package tracer

import (
	"runtime"
	"strconv"
)

// Function is a function of the program. Its first names are those of its parameters.
type Function struct {
	Name       string
	Line       int
	Names      []string
	Parameters int
	// Slots has the index of the name of each variable; two variables may have the same name.
	Slots []int
}

// Site is a place of events: its line, and the variables that are visible there.
type Site struct {
	Line  int
	Slots []int
}

// Frame is one activation of a function.
type Frame struct {
	function *Function
	scope    int
	line     int
	thread   int
	pointers []any
	texts    []string
	isThrown bool
	thrown   any
}

var (
	isOn       bool
	functions  []Function
	sites      []Site
	threadOf   = map[uint64]int{}
	lastThread int
	hasThreads bool
	buffer     []byte
)

// Run calls the entry point and records it.
func Run(allFunctions []Function, allSites []Site, usesThreads bool, entry func()) {
	functions, sites, hasThreads = allFunctions, allSites, usesThreads
	defer func() {
		if value := recover(); value != nil {
			lock.Lock()
			finish("raised", panicText(value))
		}
	}()
	currentThread()
	isOn = true
	entry()
	lock.Lock()
	finish("finished", "")
}

// currentThread is the number of the goroutine, in the order of their first events.
func currentThread() int {
	if !hasThreads {
		return 0
	}
	var text [40]byte
	size := runtime.Stack(text[:], false)
	var id uint64
	for _, char := range text[len("goroutine "):size] {
		if char < '0' || char > '9' {
			break
		}
		id = id*10 + uint64(char-'0')
	}
	thread, isKnown := threadOf[id]
	if !isKnown {
		thread = len(threadOf)
		threadOf[id] = thread
	}
	return thread
}

// Enter records the call of a function; the pointers are those of its parameters.
func Enter(id int, pointers ...any) *Frame {
	if !isOn {
		return &Frame{scope: -1}
	}
	function := &functions[id]
	frame := &Frame{function: function, scope: -1, line: function.Line}
	frame.pointers = make([]any, len(function.Slots))
	copy(frame.pointers, pointers)
	lock.Lock()
	defer lock.Unlock()
	if !isOn {
		return frame
	}
	frame.thread = currentThread()
	frame.texts = make([]string, len(function.Names))
	frame.scope = writeScope(id, function)
	frame.begin("call")
	frame.locals(function.Slots[:len(pointers)], len(pointers))
	return frame
}

func (frame *Frame) begin(event string) {
	if frame.thread != lastThread {
		lastThread = frame.thread
		writeThread(frame.thread)
	}
	beginStep(event, frame.line, frame.scope)
}

// Declare registers a variable.
func (frame *Frame) Declare(slot int, pointer any) {
	if slot < len(frame.pointers) {
		frame.pointers[slot] = pointer
	}
}

// Line records that a line is about to be executed. The result is true.
func (frame *Frame) Line(site int) bool {
	if !isOn || frame.scope < 0 {
		return true
	}
	lock.Lock()
	defer lock.Unlock()
	if !isOn {
		return true
	}
	place := &sites[site]
	frame.line = place.Line
	frame.isThrown = false
	frame.begin("line")
	frame.locals(place.Slots, -1)
	return true
}

// locals writes the changes of variables: those in slots, or the first ones, which are parameters.
func (frame *Frame) locals(slots []int, count int) {
	changes := len(row)
	row = append(row, ',', '{')
	first := len(row)
	var seen [128]bool
	isSeen := seen[:]
	if len(frame.texts) > len(seen) {
		isSeen = make([]bool, len(frame.texts))
	}
	for index, slot := range slots {
		if count >= 0 {
			slot = index
		}
		if frame.pointers[slot] == nil {
			continue
		}
		name := frame.function.Slots[slot]
		isSeen[name] = true
		buffer = render(buffer[:0], frame.pointers[slot])
		if string(buffer) == frame.texts[name] {
			continue
		}
		frame.texts[name] = string(buffer)
		if len(row) > first {
			row = append(row, ',')
		}
		row = appendJSON(row, frame.function.Names[name])
		row = append(row, ':')
		row = appendJSON(row, frame.texts[name])
	}
	hasChanges := len(row) > first
	row = append(row, '}')
	hasGone := frame.gone(isSeen)
	if !hasChanges && !hasGone {
		row = row[:changes]
	}
	row = append(row, ']')
	writeStep()
}

func (frame *Frame) gone(isSeen []bool) bool {
	hasGone := false
	for name, text := range frame.texts {
		if text == "" || isSeen[name] {
			continue
		}
		frame.texts[name] = ""
		if !hasGone {
			row = append(row, ',', '[')
		} else {
			row = append(row, ',')
		}
		hasGone = true
		row = appendJSON(row, frame.function.Names[name])
	}
	if hasGone {
		row = append(row, ']')
	}
	return hasGone
}

// Unwind records a panic that reaches deferred functions, and continues it.
func (frame *Frame) Unwind(value any) {
	if value == nil {
		return
	}
	frame.raise(value)
	panic(value)
}

// Leave records that a function returns, or that a panic leaves it, which it continues.
func (frame *Frame) Leave(value any, results ...any) {
	if value != nil {
		frame.raise(value)
	}
	frame.leave(value != nil, results)
	if value != nil {
		panic(value)
	}
}

func (frame *Frame) raise(value any) {
	if !isOn || frame.scope < 0 {
		return
	}
	lock.Lock()
	defer lock.Unlock()
	if !isOn || (frame.isThrown && isSame(frame.thrown, value)) {
		return
	}
	frame.isThrown, frame.thrown = true, value
	frame.begin("exception")
	row = append(row, ',')
	row = appendJSON(row, string(render(nil, &value)))
	row = append(row, ']')
	writeStep()
}

// isSame compares two values of a panic; those that cannot be compared are the same.
func isSame(left, right any) (same bool) {
	defer func() {
		if recover() != nil {
			same = true
		}
	}()
	return left == right
}

func (frame *Frame) leave(isThrown bool, results []any) {
	if !isOn || frame.scope < 0 {
		return
	}
	lock.Lock()
	defer lock.Unlock()
	if !isOn {
		return
	}
	frame.begin("return")
	if !isThrown {
		row = append(row, ',')
		row = appendJSON(row, resultText(results))
	} else {
		row = append(row, ",null"...)
	}
	row = append(row, ']')
	writeStep()
	if frame.scope == 0 {
		isOn = false
	}
}

// resultText is the text of what a function returns: a value, or several in parentheses.
func resultText(results []any) string {
	switch len(results) {
	case 0:
		return "void"
	case 1:
		return string(render(nil, results[0]))
	}
	text := []byte{'('}
	for index, result := range results {
		if index > 0 {
			text = append(text, ", "...)
		}
		text = render(text, result)
	}
	return string(append(text, ')'))
}

// panicText is what Go prints for a panic that nothing recovers.
func panicText(value any) (text string) {
	defer func() {
		if recover() != nil {
			text = "panic"
		}
	}()
	switch value := value.(type) {
	case error:
		return value.Error()
	case interface{ String() string }:
		return value.String()
	case string:
		return value
	case int:
		return strconv.Itoa(value)
	}
	return string(render(nil, &value))
}
