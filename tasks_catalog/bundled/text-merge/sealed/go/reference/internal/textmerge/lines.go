package textmerge

import "strings"

// ending returns the ending of a line: empty for one that is unfinished.
func ending(line string) string {
	if strings.HasSuffix(line, "\r\n") {
		return "\r\n"
	}
	if strings.HasSuffix(line, "\n") {
		return "\n"
	}
	return ""
}

// key returns what is compared: two lines are equal if their keys are.
func key(line, compare string) string {
	if compare == "exact" {
		return line
	}
	text := strings.TrimSuffix(line, ending(line))
	switch compare {
	case "trailing":
		return strings.TrimRight(text, " \t")
	case "all":
		return strings.NewReplacer(" ", "", "\t", "").Replace(text)
	}
	return text
}

func keys(text []string, compare string) []string {
	all := make([]string, len(text))
	for i, line := range text {
		all[i] = key(line, compare)
	}
	return all
}

func equal(one, other []string, compare string) bool {
	if len(one) != len(other) {
		return false
	}
	return agreeing(one, other, compare) == len(one)
}

// agreeing returns how many first lines are equal.
func agreeing(one, other []string, compare string) int {
	count := 0
	for count < len(one) && count < len(other) && key(one[count], compare) == key(other[count], compare) {
		count++
	}
	return count
}

func endingOfMarkers(mine, theirs []string) string {
	for _, text := range [][]string{mine, theirs} {
		if len(text) > 0 && ending(text[0]) != "" {
			return ending(text[0])
		}
	}
	return "\n"
}

// withEndings gives the missing ending to lines before the last that have none.
func withEndings(lines []string, missing string) []string {
	var complete []string
	for i, line := range lines {
		if ending(line) == "" && i < len(lines)-1 {
			line += missing
		}
		complete = append(complete, line)
	}
	return complete
}
