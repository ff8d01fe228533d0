// Package textmerge makes three-way merges of texts, line by line.
package textmerge

import "fmt"

// Answers returns what is written for the lines of the input.
func Answers(lines []string) []string {
	var written []string
	reader := newReader(lines)
	for !reader.atEnd() {
		b, wrong := reader.blockOrRefusal()
		if wrong != nil {
			written = append(written, wrong.text())
			continue
		}
		written = append(written, result(b)...)
	}
	return written
}

func result(b block) []string {
	lines, c := merged(b)
	unfinished := len(lines) > 0 && ending(lines[len(lines)-1]) == ""
	head := fmt.Sprintf("result %s %d", b.name, len(lines))
	if unfinished {
		head += " unfinished"
	}
	written := append([]string{head + "\n"}, lines...)
	if unfinished {
		written = append(written, "\n")
	}
	return append(written, "counts "+c.text()+"\n")
}
