// Package tests runs every example in tests/examples: the program's answers to its requests.
package tests

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"testing"
)

func TestExamples(t *testing.T) {
	program := filepath.Join(t.TempDir(), "program")
	build := exec.Command("go", "build", "-o", program, "..")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	for _, name := range []string{"basic-behaviour", "empty-input"} {
		t.Run(name, func(t *testing.T) { check(t, program, name) })
	}
}

func check(t *testing.T, program, name string) {
	t.Helper()
	command := exec.Command(program)
	command.Stdin = bytes.NewReader(example(t, name, "requests"))
	command.Stderr = os.Stderr
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	got := values(t, output)
	want := values(t, example(t, name, "answers"))
	if !reflect.DeepEqual(got, want) {
		t.Errorf("answers differ\n got: %v\nwant: %v", got, want)
	}
}

func example(t *testing.T, name, part string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("examples", name+"."+part+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func values(t *testing.T, lines []byte) []any {
	t.Helper()
	var all []any
	for _, line := range bytes.Split(lines, []byte("\n")) {
		if len(line) == 0 {
			continue
		}
		var value any
		if err := json.Unmarshal(line, &value); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		all = append(all, value)
	}
	return all
}
