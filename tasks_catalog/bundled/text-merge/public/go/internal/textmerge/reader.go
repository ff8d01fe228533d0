package textmerge

import (
	"errors"
	"strings"
)

var errBadInput = errors.New("refused bad_input")

// block is one merge; the texts are lines with their line feeds.
type block struct {
	name   string
	base   []string
	mine   []string
	theirs []string
}

// reader takes blocks from the lines of the input.
type reader struct {
	lines []string
	next  int
}

func newReader(lines []string) *reader { return &reader{lines: lines} }

func (r *reader) atEnd() bool { return r.next == len(r.lines) }

// blockOrError returns the next block, or why there is none; then it has passed over it.
func (r *reader) blockOrError() (block, error) {
	b, err := r.block()
	if err != nil {
		r.passOver()
	}
	return b, err
}

func (r *reader) block() (block, error) {
	header, err := r.take()
	if err != nil {
		return block{}, err
	}
	words := strings.Split(header, " ")
	if len(words) != 2 || words[0] != "merge" {
		return block{}, errBadInput
	}
	sections, err := r.sections()
	if err != nil {
		return block{}, err
	}
	return block{name: words[1], base: sections["base"], mine: sections["mine"], theirs: sections["theirs"]}, nil
}

func (r *reader) sections() (map[string][]string, error) {
	sections := map[string][]string{}
	for {
		line, err := r.take()
		if err != nil {
			return nil, err
		}
		if line == "end" {
			break
		}
		words := strings.Split(line, " ")
		if len(words) != 2 || words[0] != "base" && words[0] != "mine" && words[0] != "theirs" {
			return nil, errBadInput
		}
		text, err := r.text(words[1])
		if err != nil {
			return nil, err
		}
		sections[words[0]] = text
	}
	if len(sections) < 3 {
		return nil, errBadInput
	}
	return sections, nil
}

func (r *reader) text(count string) ([]string, error) {
	number, err := readNumber(count)
	if err != nil {
		return nil, err
	}
	text := []string{}
	for len(text) < number {
		line, err := r.take()
		if err != nil {
			return nil, err
		}
		text = append(text, line+"\n")
	}
	return text, nil
}

func (r *reader) take() (string, error) {
	if r.atEnd() {
		return "", errBadInput
	}
	r.next++
	return r.lines[r.next-1], nil
}

func (r *reader) passOver() {
	for r.lines[r.next-1] != "end" && !r.atEnd() {
		r.next++
	}
}

func readNumber(word string) (int, error) {
	if len(word) < 1 || len(word) > 4 || strings.Trim(word, "0123456789") != "" {
		return 0, errBadInput
	}
	number := 0
	for _, digit := range []byte(word) {
		number = number*10 + int(digit-'0')
	}
	return number, nil
}
