package textmerge

import "strings"

const (
	longestName = 30
	longestText = 2000
)

// block is one merge; the texts are lines with their endings.
type block struct {
	name    string
	options options
	base    []string
	mine    []string
	theirs  []string
}

// reader takes blocks from the lines of the input.
type reader struct {
	lines []string
	next  int
	names map[string]bool
}

func newReader(lines []string) *reader { return &reader{lines: lines, names: map[string]bool{}} }

func (r *reader) atEnd() bool { return r.next == len(r.lines) }

// blockOrRefusal returns the next block; or a refusal, and then it has passed over what is refused.
func (r *reader) blockOrRefusal() (block, *refusal) {
	b, err := r.block()
	if err == nil {
		return b, nil
	}
	wrong := &refusal{line: r.next, kind: err.Error()}
	if err != refused("unknown_command") {
		r.passOver()
	}
	return block{}, wrong
}

func (r *reader) block() (block, error) {
	name, o, err := r.header()
	if err != nil {
		return block{}, err
	}
	sections, err := r.sections()
	if err != nil {
		return block{}, err
	}
	r.names[name] = true
	return block{name: name, options: o, base: sections["base"], mine: sections["mine"], theirs: sections["theirs"]}, nil
}

func (r *reader) header() (string, options, error) {
	line, err := r.take()
	if err != nil {
		return "", options{}, err
	}
	words := strings.Split(line, " ")
	if words[0] != "merge" {
		return "", options{}, refused("unknown_command")
	}
	if len(words) < 2 || !isName(words[1]) {
		return "", options{}, refused("bad_name")
	}
	o, err := readOptions(words[2:])
	if err != nil {
		return "", options{}, err
	}
	if r.names[words[1]] {
		return "", options{}, refused("duplicate_name")
	}
	return words[1], o, nil
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
		if words[0] != "base" && words[0] != "mine" && words[0] != "theirs" {
			return nil, refused("unexpected_line")
		}
		count, unfinished, err := readExtent(words[1:])
		if err != nil {
			return nil, err
		}
		if sections[words[0]] != nil {
			return nil, refused("repeated_section")
		}
		if sections[words[0]], err = r.text(count, unfinished); err != nil {
			return nil, err
		}
	}
	if len(sections) < 3 {
		return nil, refused("missing_section")
	}
	return sections, nil
}

// text returns lines, maybe none, but never nil.
func (r *reader) text(count int, unfinished bool) ([]string, error) {
	text := []string{}
	for len(text) < count {
		line, err := r.take()
		if err != nil {
			return nil, err
		}
		text = append(text, line+"\n")
	}
	if unfinished {
		text[count-1] = strings.TrimSuffix(text[count-1], "\n")
	}
	return text, nil
}

func (r *reader) take() (string, error) {
	if r.atEnd() {
		return "", refused("end_of_input")
	}
	r.next++
	return r.lines[r.next-1], nil
}

// passOver goes on behind the next end, which may be the line that was taken last.
func (r *reader) passOver() {
	for r.lines[r.next-1] != "end" && !r.atEnd() {
		r.next++
	}
}

func isName(word string) bool {
	return len(word) >= 1 && len(word) <= longestName && strings.Trim(word, "abcdefghijklmnopqrstuvwxyz0123456789-._") == ""
}

// readExtent returns the number of lines and whether the last one is unfinished.
func readExtent(words []string) (int, bool, error) {
	if len(words) < 1 || len(words) > 2 || len(words) == 2 && words[1] != "unfinished" {
		return 0, false, refused("bad_section")
	}
	count, ok := readNumber(words[0], longestText)
	unfinished := len(words) == 2
	if !ok || unfinished && count == 0 {
		return 0, false, refused("bad_section")
	}
	return count, unfinished, nil
}
