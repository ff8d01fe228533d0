package settings

import (
	"strings"
	"unicode/utf8"
)

const (
	blanks         = " \t"
	bareCharacters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz" + decimalDigits + "_-"
)

// Read reads a document line by line and returns all settings, or the first error.
func Read(text string) Document {
	var settings []Setting
	section := ""
	for index, line := range strings.Split(text, "\n") {
		statement := strings.Trim(line, blanks)
		if statement == "" || statement[0] == '#' {
			continue
		}
		if statement[0] == '[' {
			name := strings.TrimSuffix(statement[1:], "]")
			if !strings.HasSuffix(statement, "]") || !isKey(name) {
				return failed(index, 1, "syntax")
			}
			section = name + "."
			continue
		}
		key, rest, found := strings.Cut(line, "=")
		key = strings.Trim(key, blanks)
		if !found || !isKey(key) {
			return failed(index, 1, "syntax")
		}
		value, wrong := readValue(strings.Trim(rest, blanks))
		if wrong != nil {
			before := line[:len(line)-len(strings.TrimLeft(rest, blanks))]
			return failed(index, utf8.RuneCountInString(before)+1+wrong.offset, wrong.kind)
		}
		settings = append(settings, Setting{Path: section + key, Value: value})
	}
	return Document{Settings: settings}
}

func failed(index, column int, kind string) Document {
	return Document{Errors: []Error{{Line: index + 1, Column: column, Kind: kind}}}
}

func isKey(text string) bool {
	return text != "" && strings.Trim(text, bareCharacters) == ""
}

// readValue returns the value as it is printed.
func readValue(value string) (string, *mistake) {
	if len(value) >= 2 && value[0] == '"' && value[len(value)-1] == '"' {
		if strings.Contains(value[1:len(value)-1], `"`) || strings.Contains(value, `\`) {
			return "", &mistake{"syntax", 0}
		}
		return value, nil
	}
	return readWord(value)
}
