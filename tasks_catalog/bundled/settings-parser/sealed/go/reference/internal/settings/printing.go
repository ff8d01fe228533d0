package settings

import (
	"fmt"
	"strings"
)

func printedPath(p path) string {
	printed := make([]string, len(p))
	for i, k := range p {
		printed[i] = printedKey(k)
	}
	return strings.Join(printed, ".")
}

func printedKey(k string) string {
	if k != "" && strings.Trim(k, bareCharacters) == "" {
		return k
	}
	return printedString(k)
}

func printedString(text string) string {
	var out strings.Builder
	out.WriteByte('"')
	for _, character := range text {
		switch {
		case character == '\n':
			out.WriteString(`\n`)
		case character == '\t':
			out.WriteString(`\t`)
		case character == '"' || character == '\\':
			out.WriteByte('\\')
			out.WriteRune(character)
		case isControl(character):
			fmt.Fprintf(&out, `\u{%x}`, character)
		default:
			out.WriteRune(character)
		}
	}
	out.WriteByte('"')
	return out.String()
}
