package tracer

import (
	"os"
	"syscall"
	"unsafe"
)

// Descriptors of the recording, the request and the seccomp filter (recorder/child/exec_server.py).
const (
	recordingFile = 3
	requestFile   = 4
	filterFile    = 5
	// Status of a process whose filter could not be installed, as in recorder/c/exec_filter.c.
	unfiltered = 113
)

const (
	sysSeccomp         = 317
	setModeFilter      = 1
	filterForAll       = 1
	bytesOfInstruction = 8
	limitData          = 2
)

var limits struct {
	steps      int
	traceBytes int
	valueChars int
	secret     string
}

// A file that nothing refers to would be closed.
var ownStderr *os.File

// The imported packages of a program are initialised before it: nothing of it runs without the filter.
func init() {
	// First, so that it does not get the number of a descriptor that is closed here.
	if null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0); err == nil {
		ownStderr, os.Stderr = os.Stderr, null
	}
	request := readAll(requestFile)
	_, hasFilter := syscall.Getenv("WORLDLINE_FILTER_FD")
	if requestNumber(request, "needs_filter") != 0 || hasFilter {
		installFilter()
	}
	if !mapRecording(recordingFile) {
		syscall.Exit(unfiltered)
	}
	syscall.Close(recordingFile)
	limits.steps = requestNumber(request, "steps")
	limits.traceBytes = requestNumber(request, "trace_mb") * 1_000_000
	limits.valueChars = requestNumber(request, "value_chars")
	limits.secret = requestText(request, "secret")
	os.Args = []string{"program"}
	for _, name := range []string{"WORLDLINE_FILTER_FD", "LD_PRELOAD", "GODEBUG", "GOMAXPROCS", "GOTRACEBACK", "GOMEMLIMIT"} {
		os.Unsetenv(name)
	}
	// The messages of Go's runtime, such as that of a deadlock, follow the output; the recorder reads them.
	syscall.Dup3(1, 2, 0)
	// These end the process, not Go's own handlers.
	for _, signal := range []syscall.Signal{syscall.SIGXFSZ, syscall.SIGXCPU, syscall.SIGSYS} {
		useDefault(signal)
	}
	if size := requestNumber(request, "memory_mb"); size > 0 {
		limitMemory(uint64(size) * 1_000_000)
	}
}

func readAll(fd int) string {
	var text []byte
	part := make([]byte, 4096)
	for {
		size, err := syscall.Read(fd, part)
		if err != nil || size <= 0 {
			syscall.Close(fd)
			return string(text)
		}
		text = append(text, part[:size]...)
	}
}

func installFilter() {
	text := []byte(readAll(filterFile))
	if len(text) < bytesOfInstruction {
		syscall.Exit(unfiltered)
	}
	program := struct {
		size         uint16
		instructions *byte
	}{uint16(len(text) / bytesOfInstruction), &text[0]}
	_, _, failure := syscall.RawSyscall(sysSeccomp, setModeFilter, filterForAll, uintptr(unsafe.Pointer(&program)))
	if failure != 0 {
		syscall.Exit(unfiltered)
	}
}

func useDefault(signal syscall.Signal) {
	var action [4]uint64
	syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(signal), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
}

// limitMemory limits what the program may use in addition to what the runtime uses already.
func limitMemory(size uint64) {
	size += dataBytes()
	var limit syscall.Rlimit
	if syscall.Getrlimit(limitData, &limit) == nil && limit.Cur > size {
		syscall.Setrlimit(limitData, &syscall.Rlimit{Cur: size, Max: size})
	}
}

// dataBytes is the size of the private memory that the runtime has reserved for its first objects.
func dataBytes() uint64 {
	return 160 << 20
}

// requestText is a text of the request, which is a flat JSON object without escapes.
func requestText(request, name string) string {
	value := requestValue(request, name)
	if len(value) > 1 && value[0] == '"' {
		return value[1 : len(value)-1]
	}
	return ""
}

// requestNumber is an integer of the request; true is 1.
func requestNumber(request, name string) int {
	value := requestValue(request, name)
	if value == "true" {
		return 1
	}
	number := 0
	for _, char := range []byte(value) {
		if char < '0' || char > '9' {
			return 0
		}
		number = number*10 + int(char-'0')
	}
	return number
}

func requestValue(request, name string) string {
	key := `"` + name + `": `
	for start := 0; start+len(key) < len(request); start++ {
		if request[start:start+len(key)] != key {
			continue
		}
		end := start + len(key)
		for end < len(request) && request[end] != ',' && request[end] != '}' {
			end++
		}
		return request[start+len(key) : end]
	}
	return ""
}
