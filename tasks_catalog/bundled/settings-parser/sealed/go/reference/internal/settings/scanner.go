package settings

import (
	"strconv"
	"strings"
)

const (
	blanks            = " \t"
	bareCharacters    = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + decimalDigits + "_-"
	hexadecimalDigits = decimalDigits + "abcdefABCDEF"
	endsWord          = blanks + "\n\"#$,=[]{}\\"
	notFlush          = blanks + "]#\n"
	lastCharacter     = 0x10FFFF
	mostHexDigits     = 6
)

// key is a key of a path. It is not right if there was an error in it.
type key struct {
	text  string
	right bool
	start int
}

// scanner moves through a document and reads keys, paths, strings and words.
//
// Where a method returns a last bool, false means that the statement cannot be read on: its error was noted, and the
// position is where reading goes on.
type scanner struct {
	source    *source
	errors    []Error
	position  int
	openLists int
}

func (s *scanner) here() rune {
	return s.source.at(s.position)
}

func (s *scanner) next() rune {
	return s.source.at(s.position + 1)
}

func (s *scanner) hereIsIn(set string) bool {
	return s.here() != nothing && strings.ContainsRune(set, s.here())
}

func (s *scanner) note(index int, kind string) {
	line, column := s.source.place(index)
	s.errors = append(s.errors, Error{Line: line, Column: column, Kind: kind})
}

// fail notes an error that breaks the statement and skips to where reading goes on. It returns false.
func (s *scanner) fail(index int, kind string) bool {
	s.note(index, kind)
	for {
		for !s.atLineEnd() {
			s.position++
		}
		goesOn := s.position > 0 && s.source.at(s.position-1) == '\\'
		if s.here() == nothing {
			return false
		}
		s.position++
		if !goesOn && (s.openLists == 0 || s.flush()) {
			return false
		}
	}
}

func (s *scanner) atLineEnd() bool {
	return s.here() == nothing || s.here() == '\n'
}

// flush tells, at the start of a line, whether it can only be the start of a statement.
func (s *scanner) flush() bool {
	return s.here() != nothing && !s.hereIsIn(notFlush)
}

func (s *scanner) blanks() {
	for {
		if s.hereIsIn(blanks) {
			s.position++
		} else if s.here() == '\\' && s.next() == '\n' {
			s.position += 2
		} else {
			return
		}
	}
}

func (s *scanner) comment() {
	if s.here() == '#' {
		for !s.atLineEnd() {
			s.position++
		}
	}
}

// spaceInList skips blanks, comments and line ends in the list that was opened there.
func (s *scanner) spaceInList(opening int) bool {
	for {
		s.blanks()
		s.comment()
		if s.here() == nothing {
			s.note(opening, "unclosed-list")
			return false
		}
		if s.here() != '\n' {
			return true
		}
		s.position++
		if s.flush() {
			s.note(opening, "unclosed-list")
			return false
		}
	}
}

// end reads the end of a statement.
func (s *scanner) end() bool {
	s.blanks()
	s.comment()
	if !s.atLineEnd() {
		return s.fail(s.position, "expected-end")
	}
	s.position++
	return true
}

// path reads keys up to and with the closing character.
func (s *scanner) path(closing rune) ([]key, bool) {
	var keys []key
	for {
		s.blanks()
		k, ok := s.key()
		if !ok {
			return nil, false
		}
		keys = append(keys, k)
		s.blanks()
		switch s.here() {
		case closing:
			s.position++
			return keys, true
		case '.':
			s.position++
		default:
			return nil, s.fail(s.position, "expected-close")
		}
	}
}

func (s *scanner) key() (key, bool) {
	start := s.position
	if s.here() == '"' {
		text, right, ok := s.string()
		return key{text, right, start}, ok
	}
	for s.hereIsIn(bareCharacters) {
		s.position++
	}
	if s.position == start {
		return key{}, s.fail(start, "expected-key")
	}
	return key{s.source.slice(start, s.position), true, start}, true
}

// string returns the text of a string, and whether there was no error in it.
func (s *scanner) string() (text string, right, ok bool) {
	opening := s.position
	s.position++
	var characters strings.Builder
	var mistakes []int
	for s.here() != '"' {
		if s.atLineEnd() {
			return "", false, s.fail(opening, "unclosed-string")
		}
		start := s.position
		character := s.character()
		if character == nothing {
			mistakes = append(mistakes, start)
		} else {
			characters.WriteRune(character)
		}
	}
	s.position++
	for _, start := range mistakes {
		if s.source.at(start) == '\\' {
			s.note(start, "bad-escape")
		} else {
			s.note(start, "control-character")
		}
	}
	return characters.String(), len(mistakes) == 0, true
}

// character returns the next character of a string, nothing if it may not stand there.
func (s *scanner) character() rune {
	character := s.here()
	s.position++
	if character == '\\' {
		return s.escape()
	}
	if isControl(character) && character != '\t' {
		return nothing
	}
	return character
}

func (s *scanner) escape() rune {
	letter := s.here()
	if s.atLineEnd() {
		return nothing
	}
	s.position++
	switch letter {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case '"', '\\':
		return letter
	}
	if letter != 'u' || s.here() != '{' {
		return nothing
	}
	s.position++
	start := s.position
	for s.hereIsIn(hexadecimalDigits) {
		s.position++
	}
	digits := s.source.slice(start, s.position)
	if s.here() != '}' {
		return nothing
	}
	s.position++
	if len(digits) < 1 || len(digits) > mostHexDigits {
		return nothing
	}
	number, err := strconv.ParseInt(digits, 16, 32)
	if err != nil || number > lastCharacter || isSurrogate(number) {
		return nothing
	}
	return rune(number)
}

func (s *scanner) word() string {
	start := s.position
	for s.here() != nothing && !s.hereIsIn(endsWord) {
		s.position++
	}
	return s.source.slice(start, s.position)
}

func isControl(character rune) bool {
	return character < ' ' || character == 0x7f
}

func isSurrogate(number int64) bool {
	return 0xD800 <= number && number <= 0xDFFF
}
