// Command textmerge merges edited texts: blocks of lines in, results out.
package main

import (
	"bufio"
	"io"
	"log"
	"os"
	"strings"

	"textmerge/internal/textmerge"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	input, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	writer := bufio.NewWriter(out)
	for _, answer := range textmerge.Answers(cut(string(input))) {
		if _, err := writer.WriteString(answer); err != nil {
			return err
		}
	}
	return writer.Flush()
}

// cut returns the lines; what follows the last line feed is one only if it is not empty.
func cut(input string) []string {
	lines := strings.Split(input, "\n")
	if lines[len(lines)-1] == "" {
		return lines[:len(lines)-1]
	}
	return lines
}
