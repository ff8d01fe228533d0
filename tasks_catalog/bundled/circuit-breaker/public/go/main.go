// Command breakerguard answers circuit breaker requests: JSON lines in, JSON lines out.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"log"
	"os"

	"breakerguard/internal/guard"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	answers := json.NewEncoder(writer)
	g := guard.New()
	for {
		line, err := reader.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return writer.Flush()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if err := answers.Encode(g.Answer(line)); err != nil {
			return err
		}
	}
}
