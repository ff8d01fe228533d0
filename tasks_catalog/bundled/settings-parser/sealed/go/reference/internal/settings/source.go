package settings

import "strings"

const (
	byteOrderMark = "\ufeff"
	nothing       = rune(-1)
)

// source holds the characters of a document by index: every line end a single line feed, without the byte order mark.
type source struct {
	characters []rune
}

func newSource(text string) *source {
	text = strings.ReplaceAll(strings.TrimPrefix(text, byteOrderMark), "\r\n", "\n")
	return &source{[]rune(text)}
}

// at returns the character there, nothing behind the last one.
func (s *source) at(index int) rune {
	if index < len(s.characters) {
		return s.characters[index]
	}
	return nothing
}

func (s *source) slice(start, end int) string {
	return string(s.characters[start:end])
}

// place returns line and column of a character, both from 1.
func (s *source) place(index int) (line, column int) {
	line, column = 1, 1
	for _, character := range s.characters[:index] {
		column++
		if character == '\n' {
			line++
			column = 1
		}
	}
	return line, column
}
