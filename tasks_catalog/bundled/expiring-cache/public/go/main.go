// Command agingcache plays commands through the model of a cache: lines in, lines out.
package main

import (
	"bufio"
	"errors"
	"io"
	"log"
	"os"
	"strings"

	"agingcache/internal/cache"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	reader := bufio.NewReader(in)
	writer := bufio.NewWriter(out)
	model := cache.New()
	for {
		line, err := reader.ReadString('\n')
		if errors.Is(err, io.EOF) && line == "" {
			return writer.Flush()
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		for _, answer := range model.Answer(strings.TrimSuffix(line, "\n")) {
			if _, err := writer.WriteString(answer + "\n"); err != nil {
				return err
			}
		}
	}
}
