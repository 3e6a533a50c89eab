package walls

import (
	"strings"
	"testing"
	"testing/fstest"
)

// built parses a house made of one file.
func built(t *testing.T, name, text string) []source {
	t.Helper()
	sources, err := survey(fstest.MapFS{name: {Data: []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// judge runs all three checkers over one file of the real table's house.
func judge(t *testing.T, name, text string) string {
	t.Helper()
	sources := built(t, name, text)
	found := append(unknownRooms(rooms, sources), forbiddenImports(rooms, sources)...)
	var says []string
	for _, b := range append(found, impurities(rooms, sources)...) {
		says = append(says, b.String())
	}
	return strings.Join(says, "\n")
}

// function is a file of package p whose one function has the given body.
func function(imports, body string) string {
	return "package p\n" + imports + "\nfunc f() {\n" + body + "\n}\n"
}

func TestEachRuleBites(t *testing.T) {
	const decide = "internal/decide/core/decide.go"
	own := func(folder string) string { return `import _ "` + module + folder + `"` }
	for _, c := range []struct{ rule, file, text, says string }{
		{"a new room", "internal/attic/a.go", "package attic", "internal/attic: is a room that is not in the table"},
		{"a room inside a room", "internal/decide/core/cellar/a.go", "package cellar", "internal/decide/core/cellar: is a room"},
		{"a room at the top", "pkg/a.go", "package pkg", "pkg: is a room"},
		{"a room above", decide, "package core\n" + own("internal/run/engine"), "decide.go:2:8: internal/decide/core may not import internal/run/engine"},
		{"a room beside", "internal/decide/promise/p.go", "package promise\n" + own("internal/decide/placement"), "may not import internal/decide/placement"},
		{"a backend past its contract", "internal/run/engine/e.go", "package engine\n" + own("internal/run/journal/sqlite"), "may not import internal/run/journal/sqlite"},
		{"a room above, in a test", "internal/decide/core/a_test.go", "package core\n" + own("internal/run/engine"), "may not import internal/run/engine"},
		{"the CLI past the client", "internal/faces/cli/c.go", "package cli\n" + own("internal/run/engine"), "may not import internal/run/engine"},
		{"the client into the house", "client/c.go", "package client\n" + own("internal/state/fleet"), "may not import internal/state/fleet"},
		{"an import of a room that nobody knows", "internal/faces/api/a.go", "package api\n" + own("internal/attic"), "may not import internal/attic"},
		{"a module in a pure room", decide, "package core\n" + `import _ "golang.org/x/sync/errgroup"`, "outside the standard library"},
		{"a module in a plain room", "internal/prove/trace/t.go", "package trace\n" + `import _ "go.yaml.in/yaml/v3"`, "outside the standard library"},

		{"randomness", decide, "package core\n" + `import _ "math/rand/v2"`, "math/rand/v2 in a pure room"},
		{"strong randomness", decide, "package core\n" + `import _ "crypto/rand"`, "crypto/rand in a pure room"},
		{"files", decide, "package core\n" + `import _ "os"`, "os in a pure room"},
		{"the network", decide, "package core\n" + `import _ "net/http"`, "net/http in a pure room"},
		{"old file I/O", decide, "package core\n" + `import _ "io/ioutil"`, "io/ioutil in a pure room"},
		{"a logger", decide, "package core\n" + `import _ "log/slog"`, "log/slog in a pure room"},
		{"a lock", decide, "package core\n" + `import _ "sync"`, "sync in a pure room"},
		{"an atomic", decide, "package core\n" + `import _ "sync/atomic"`, "sync/atomic in a pure room"},
		{"cgo", decide, "package core\n" + `import "C"`, "C in a pure room"},
		{"a dot import", decide, "package core\n" + `import . "time"`, "dot import of time"},

		{"the clock", decide, function(`import "time"`, "_ = time.Now()"), "decide.go:4:10: time.Now in a pure room; take the moment"},
		{"the clock by another name", decide, function(`import clock "time"`, "_ = clock.Now()"), "time.Now in a pure room"},
		{"the clock as a value", decide, function(`import "time"`, "now := time.Now; _ = now"), "time.Now in a pure room"},
		{"elapsed time", decide, function(`import "time"`, "_ = time.Since(time.Time{})"), "time.Since in a pure room"},
		{"a sleep", decide, function(`import "time"`, "time.Sleep(1)"), "time.Sleep in a pure room"},
		{"a tick", decide, function(`import "time"`, "_ = time.Tick(1)"), "time.Tick in a pure room"},
		{"a wait", decide, function(`import "time"`, "_ = time.After(1)"), "time.After in a pure room"},
		{"a timer", decide, function(`import "time"`, "_ = time.NewTimer(1)"), "time.NewTimer in a pure room"},
		{"the machine's time zone", decide, function(`import "time"`, "_ = time.Local"), "time.Local in a pure room"},
		{"printing", decide, function(`import "fmt"`, `fmt.Printf("x")`), "fmt.Printf in a pure room"},
		{"printing without fmt", decide, function("", `println("x")`), "println in a pure room"},
		{"a goroutine", decide, function("", "go f()"), "a go statement in a pure room"},
		{"a goroutine in a closure", decide, function("", "func() { go f() }()"), "a go statement in a pure room"},
		{"a select", decide, function("", "select {}"), "a select in a pure room"},
		{"a channel", decide, "package core\nvar c chan int", "a channel in a pure room"},
		{"a send", decide, "package core\nfunc f(c C) { c <- 1 }", "a send on a channel in a pure room"},
		{"a receive", decide, "package core\nfunc f(c C) { <-c }", "a receive from a channel in a pure room"},
		{"a file for another system", "internal/decide/core/a_windows.go", "//go:build windows\n\npackage core\n" + `import _ "os"`, "os in a pure room"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			if says := judge(t, c.file, c.text); !strings.Contains(says, c.says) {
				t.Errorf("said %q, want %q in it", says, c.says)
			}
		})
	}
}

// A breach names a remedy, so that a reader who meets a wall knows the door.
func TestEachBreachSaysWhatToDo(t *testing.T) {
	for text, remedy := range map[string]string{
		judge(t, "internal/attic/a.go", "package attic"):                                        "add a row to internal/prove/walls/rooms_test.go",
		judge(t, "client/c.go", "package client\n"+`import _ "`+module+`internal/state/fleet"`): "pass in what is needed",
		judge(t, "internal/decide/core/d.go", "package core\n"+`import _ "os"`):                 "take what they need as arguments",
		judge(t, "internal/decide/core/d.go", function("", "go f()")):                           "move it to the engine",
		judge(t, "internal/prove/trace/t.go", "package trace\n"+`import _ "example.org/csv"`):   "use the standard library",
		judge(t, "internal/decide/core/d.go", function(`import "fmt"`, `fmt.Println("x")`)):     "return the value",
		judge(t, "internal/decide/core/d.go", function(`import "time"`, `_ = time.Now()`)):      "argument now",
		judge(t, "internal/decide/core/d.go", "package core\n"+`import . "strings"`):            "import it by name",
	} {
		if !strings.Contains(text, remedy) {
			t.Errorf("%q does not say %q", text, remedy)
		}
	}
}

func TestWhatIsAllowedPasses(t *testing.T) {
	for name, text := range map[string]string{
		"internal/decide/core/decide.go":      "package core\n" + `import ("fmt"; "time"; "` + module + `internal/state/fleet")` + "\nvar _ = fmt.Sprintf(\"%v\", time.Second)\nvar _ fleet.Instant",
		"internal/decide/core/print.go":       "package core\nfunc f(p printer) { p.print(); p.Now() }",
		"internal/decide/core/decide_test.go": "package core_test\n" + `import ("time"; "os"; "pgregory.net/rapid"; "` + module + `internal/decide/invariant")` + "\nfunc f() { go f(); _ = time.Now() }",
		"internal/run/engine/engine.go":       "package engine\n" + `import ("sync"; "time"; "golang.org/x/sync/errgroup"; "` + module + `internal/run/journal")` + "\nfunc f() { go f(); _ = time.Now() }",
		"gen/muster/v1/fleet.pb.go":           "package musterv1\n" + `import ("sync"; "` + module + `gen/muster/v1/x")`,
		"cmd/muster/main.go":                  "package main\n" + `import _ "` + module + `internal/server"`,
		"internal/decide/core/testdata/a.go":  "package a\n" + `import _ "os"`,
	} {
		t.Run(name, func(t *testing.T) {
			if says := judge(t, name, text); says != "" {
				t.Error(says)
			}
		})
	}
}

// A module inside the module (the tools) is another house.
func TestOtherModulesAreLeftAlone(t *testing.T) {
	sources, err := survey(fstest.MapFS{
		"tools/lint/go.mod":         {Data: []byte("module tools")},
		"tools/lint/a.go":           {Data: []byte("package tools")},
		"internal/state/fleet/a.go": {Data: []byte("package fleet")},
	})
	if got := strings.Join(folders(sources), " "); err != nil || got != "internal/state/fleet" {
		t.Errorf("found %q, %v, want internal/state/fleet alone", got, err)
	}
}

func TestAFileThatDoesNotParseIsAnError(t *testing.T) {
	if _, err := survey(fstest.MapFS{"internal/state/fleet/a.go": {Data: []byte("package")}}); err == nil {
		t.Error("no error for half a file")
	}
}
