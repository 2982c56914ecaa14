package tracer

import (
	"encoding/binary"
	"strconv"
	"sync"
	"syscall"
	"unicode/utf8"
)

// The file and its rows are those of recorder/recording_protocol.py: the length of the complete rows
// in the first eight bytes, the rows from byte 64 on. The file is mapped, so that a program that is
// killed keeps its steps.
const (
	firstRow  = 64
	lastBytes = 300_000
	maxDetail = 100_000
)

var (
	lock    sync.Mutex
	memory  []byte
	used    int
	row     []byte
	steps   int
	scopes  int
	scopeOf = map[int]int{}
)

func mapRecording(fd int) bool {
	var status syscall.Stat_t
	if syscall.Fstat(fd, &status) != nil || status.Size <= firstRow {
		return false
	}
	var err error
	memory, err = syscall.Mmap(fd, 0, int(status.Size), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_SHARED)
	// A process that the program forks does not have the recording, so that it cannot overwrite it.
	return err == nil && syscall.Madvise(memory, syscall.MADV_DONTFORK) == nil
}

// writeRow ends the row that was built and makes it visible.
func writeRow() bool {
	row = append(row, '\n')
	if firstRow+used+len(row) > len(memory) {
		return false
	}
	copy(memory[firstRow+used:], row)
	used += len(row)
	binary.LittleEndian.PutUint64(memory, uint64(used))
	return true
}

// writeStep ends the row of a step, within the limits.
func writeStep() {
	if steps >= limits.steps {
		finish("step_limit", "")
	}
	if used+len(row) > limits.traceBytes || firstRow+used+len(row)+lastBytes > len(memory) || !writeRow() {
		finish("trace_limit", "")
	}
	steps++
}

func beginStep(event string, line, scope int) {
	row = append(row[:0], '[', '"')
	row = append(row, event...)
	row = append(row, '"', ',')
	row = strconv.AppendInt(row, int64(line), 10)
	row = append(row, ',')
	row = strconv.AppendInt(row, int64(scope), 10)
}

// writeScope writes a new scope of a function; the result is its number.
func writeScope(id int, function *Function) int {
	known, isKnown := scopeOf[id]
	if isKnown {
		row = append(row[:0], `["again",`...)
		row = strconv.AppendInt(row, int64(known), 10)
	} else {
		scopeOf[id] = scopes
		row = append(row[:0], `["scope",`...)
		row = appendJSON(row, function.Name)
		row = append(row, ',')
		row = strconv.AppendInt(row, int64(function.Line), 10)
		row = append(row, ',', '[')
		for index, name := range function.Names {
			if index > 0 {
				row = append(row, ',')
			}
			row = appendJSON(row, name)
		}
		row = append(row, ']', ',')
		row = strconv.AppendInt(row, int64(function.Parameters), 10)
	}
	row = append(row, ']')
	if firstRow+used+len(row)+lastBytes > len(memory) || !writeRow() {
		finish("trace_limit", "")
	}
	scopes++
	return scopes - 1
}

func writeThread(thread int) {
	row = append(row[:0], `["thread",`...)
	row = strconv.AppendInt(row, int64(thread), 10)
	row = append(row, ']')
	writeRow()
}

// finish writes the ending and ends the process.
func finish(reason, detail string) {
	isOn = false
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	row = append(row[:0], `["end",`...)
	row = appendJSON(row, reason)
	row = append(row, ',')
	row = appendJSON(row, detail)
	row = append(row, ",[]]\n[\"epilogue\","...)
	row = strconv.AppendInt(row, int64(steps), 10)
	row = append(row, ',')
	row = strconv.AppendInt(row, int64(scopes), 10)
	row = append(row, ',')
	row = appendJSON(row, limits.secret)
	row = append(row, ']')
	writeRow()
	syscall.Exit(0)
}

const hexDigits = "0123456789abcdef"

// appendJSON appends a string as JSON; bytes that are not UTF-8 become lone surrogates, as in Python.
func appendJSON(out []byte, text string) []byte {
	out = append(out, '"')
	for index := 0; index < len(text); {
		char := text[index]
		if char >= 0x20 && char < 0x7f && char != '"' && char != '\\' {
			out = append(out, char)
			index++
			continue
		}
		if char < utf8.RuneSelf {
			out = append(out, '\\', 'u', '0', '0', hexDigits[char>>4], hexDigits[char&15])
			index++
			continue
		}
		value, size := utf8.DecodeRuneInString(text[index:])
		if value == utf8.RuneError && size == 1 {
			out = append(out, '\\', 'u', 'd', 'c', hexDigits[char>>4], hexDigits[char&15])
		} else {
			out = append(out, text[index:index+size]...)
		}
		index += size
	}
	return append(out, '"')
}
