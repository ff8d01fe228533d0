// Command meetingseries plans meetings that repeat: commands in, answers out, a line each.
package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"os"
	"strings"

	"meetingseries/internal/meetings"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	planner := meetings.NewPlanner()
	for {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return writer.Flush()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for _, answer := range planner.Answer(strings.TrimSuffix(line, "\n")) {
			if _, err := writer.WriteString(answer + "\n"); err != nil {
				return err
			}
		}
	}
}
