// Package tests runs every example in tests/examples: the program's answers to its commands.
package tests

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
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
	command.Stdin = bytes.NewReader(example(t, name, "commands"))
	command.Stderr = os.Stderr
	got, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := example(t, name, "answers"); !bytes.Equal(got, want) {
		t.Errorf("answers differ\n got:\n%s\nwant:\n%s", got, want)
	}
}

func example(t *testing.T, name, part string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("examples", name+"."+part+".txt"))
	if err != nil {
		t.Fatal(err)
	}
	return content
}
