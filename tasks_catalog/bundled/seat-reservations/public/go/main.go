// Command booking carries out a schedule of booking steps: lines in, lines out.
package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"os"
	"strings"

	"booking/internal/booking"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	desk := booking.NewDesk()
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
