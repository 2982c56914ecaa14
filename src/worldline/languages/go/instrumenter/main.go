// Command instrumenter compiles one program with calls of the tracer. It runs in the sandbox, started
// by recorder/child/exec_server.py.
//
// Descriptors: 0 the source, 1 the executable, 3 the rows of the result, 4 the request.
package main

import (
	"encoding/binary"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

const (
	maxDetail = 20_000
	fileName  = "program.go"
)

type request struct {
	Compiler  string
	Linker    string
	Packages  string
	Entry     string
	OnlyPrint bool
}

func main() {
	var wanted request
	file := os.NewFile(4, "request")
	if err := json.NewDecoder(file).Decode(&wanted); err != nil {
		end("recorder_failed", "the request cannot be read: "+err.Error())
	}
	source, err := io.ReadAll(os.Stdin)
	if err != nil {
		end("recorder_failed", "the source cannot be read: "+err.Error())
	}
	packages, err := readPackages(wanted.Packages)
	if err != nil {
		end("recorder_failed", "the list of packages cannot be read: "+err.Error())
	}
	checked, messages := check(string(source), packages)
	if len(messages) > 0 {
		end("not_loaded", strings.Join(messages, "\n"))
	}
	text, tables, message := instrument(checked, wanted.Entry)
	if message != "" {
		end("not_loaded", message)
	}
	if wanted.OnlyPrint {
		os.Stdout.WriteString(text + "\n" + tables)
		end("finished", "")
	}
	build(wanted, text, tables)
	copyExecutable()
	end("finished", "")
}

// build compiles and links the instrumented program.
func build(wanted request, text, tables string) {
	for name, content := range map[string]string{fileName: text, "tables.go": tables} {
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			end("recorder_failed", err.Error())
		}
	}
	run(wanted.Compiler, "-p", "main", "-complete", "-dwarf=false", "-c=1", "-o", "main.a",
		"-importcfg", wanted.Packages, fileName, "tables.go")
	run(wanted.Linker, "-s", "-w", "-importcfg", wanted.Packages, "-o", "program", "main.a")
}

func run(name string, arguments ...string) {
	output, err := exec.Command(name, arguments...).CombinedOutput()
	if err != nil {
		text := strings.TrimSpace(string(output))
		if text == "" {
			text = "the compiler: " + err.Error()
		}
		end("not_loaded", text)
	}
}

func copyExecutable() {
	file, err := os.Open("program")
	if err == nil {
		_, err = io.Copy(os.Stdout, file)
	}
	if err != nil {
		end("recorder_failed", "the executable cannot be copied: "+err.Error())
	}
}

// readPackages reads the files of packages: lines `packagefile fmt=/…/fmt.a`.
func readPackages(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	packages := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		name, file, isFound := strings.Cut(strings.TrimPrefix(line, "packagefile "), "=")
		if isFound {
			packages[name] = file
		}
	}
	return packages, nil
}

// end writes the rows of recorder/recording_protocol.py, and exits.
func end(reason, detail string) {
	if len(detail) > maxDetail {
		detail = detail[:maxDetail]
	}
	text, _ := json.Marshal(strings.ToValidUTF8(detail, "?"))
	rows := `["end",` + strconv.Quote(reason) + `,` + string(text) + ",[]]\n[\"epilogue\",0,0]\n"
	syscall.Pwrite(3, []byte(rows), 64)
	var size [8]byte
	binary.LittleEndian.PutUint64(size[:], uint64(len(rows)))
	syscall.Pwrite(3, size[:], 0)
	os.Exit(0)
}
