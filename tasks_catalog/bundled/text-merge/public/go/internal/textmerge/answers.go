// Package textmerge makes three-way merges of texts, line by line.
package textmerge

import "fmt"

// Answers returns what is written for the lines of the input.
func Answers(lines []string) []string {
	var written []string
	reader := newReader(lines)
	for !reader.atEnd() {
		b, err := reader.blockOrError()
		if err != nil {
			written = append(written, err.Error()+"\n")
			continue
		}
		written = append(written, result(b)...)
	}
	return written
}

func result(b block) []string {
	lines, c := merged(b)
	written := []string{fmt.Sprintf("result %s %d\n", b.name, len(lines))}
	written = append(written, lines...)
	return append(written, "counts "+c.text()+"\n")
}
