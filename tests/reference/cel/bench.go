package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/google/cel-go/cel"
)

// Prints nanoseconds a compilation (check and program) and an evaluation of each expression in `path`, as lines of
// JSON, and bytes a program kept alive.
func measure(path string) {
	file, err := os.Open(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	encoder := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		s, err := settingOf(&r)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		compile := func() cel.Program {
			ast, issues := s.env.Compile(r.Expr)
			if issues != nil {
				fmt.Fprintln(os.Stderr, r.Expr, issues)
				os.Exit(1)
			}
			made, err := program(s, ast)
			if err != nil {
				fmt.Fprintln(os.Stderr, r.Expr, err)
				os.Exit(1)
			}
			return made
		}
		made := compile()
		values, err := valuesOf(&r, s)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		result, failure, _, _ := evaluate(made, values)
		encoder.Encode(map[string]any{
			"expr":     r.Expr,
			"result":   result + failure,
			"compile":  perCall(func() { compile() }),
			"evaluate": perCall(func() { made.Eval(values) }),
			"bytes":    bytesEach(compile),
		})
	}
}

func perCall(work func()) float64 {
	for count := 1; ; count *= 2 {
		begin := time.Now()
		for range count {
			work()
		}
		if took := time.Since(begin); took > 100*time.Millisecond {
			return float64(took.Nanoseconds()) / float64(count)
		}
	}
}

func bytesEach(compile func() cel.Program) float64 {
	const count = 100
	var before, after runtime.MemStats
	kept := make([]cel.Program, count)
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range kept {
		kept[i] = compile()
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(kept)
	return (float64(after.HeapAlloc) - float64(before.HeapAlloc)) / count
}
