// Command idempotentledger answers ledger commands: one command on each line, answers as lines of words.
package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"os"
	"strings"

	"idempotentledger/internal/ledger"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	desk := ledger.NewDesk()
	for {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return writer.Flush()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for _, answer := range desk.Answer(strings.TrimSuffix(line, "\n")) {
			if _, err := writer.WriteString(answer + "\n"); err != nil {
				return err
			}
		}
	}
}
