package settings

import "strings"

// resolver follows references from setting to setting.
type resolver struct {
	given *given
}

// noteErrors notes every error that shows only when the whole document is known.
func (r resolver) noteErrors(note func(index int, kind string)) {
	for _, p := range r.given.paths {
		for _, ref := range r.referencesOf(p) {
			if !r.given.has(ref.path) {
				note(ref.start, "undefined-reference")
			} else if r.leadsTo(ref.path, p) {
				note(ref.start, "reference-cycle")
			}
		}
		parts := r.given.parts[printedPath(p)]
		if len(parts) < 2 {
			continue
		}
		for _, part := range parts {
			if r.isSingle(part.value) {
				note(part.start, "not-a-list")
			}
		}
	}
}

func (r resolver) referencesOf(p path) []reference {
	var found []reference
	for _, part := range r.given.parts[printedPath(p)] {
		found = append(found, referencesIn(part.value)...)
	}
	return found
}

func (r resolver) leadsTo(start, goal path) bool {
	waiting := []path{start}
	seen := map[string]bool{printedPath(start): true}
	for len(waiting) > 0 {
		p := waiting[len(waiting)-1]
		waiting = waiting[:len(waiting)-1]
		if printedPath(p) == printedPath(goal) {
			return true
		}
		for _, ref := range r.referencesOf(p) {
			if !seen[printedPath(ref.path)] {
				seen[printedPath(ref.path)] = true
				waiting = append(waiting, ref.path)
			}
		}
	}
	return false
}

// isSingle tells whether a value is known to be no list.
func (r resolver) isSingle(v value) bool {
	seen := map[string]bool{}
	for {
		ref, isReference := v.(reference)
		if !isReference {
			break
		}
		target := printedPath(ref.path)
		parts := r.given.parts[target]
		if len(parts) != 1 || seen[target] {
			return false
		}
		seen[target] = true
		v = parts[0].value
	}
	_, is := v.(single)
	return is
}

// printed returns the value of a setting as it is printed, in a document without errors.
func (r resolver) printed(p path) string {
	parts := r.given.parts[printedPath(p)]
	if len(parts) == 1 {
		return r.printedValue(parts[0].value)
	}
	return printedList(r.elementsOf(p))
}

func (r resolver) printedValue(v value) string {
	switch v := v.(type) {
	case reference:
		return r.printed(v.path)
	case list:
		return printedList(r.printedAll(v.elements))
	case single:
		return v.printed
	}
	return ""
}

func (r resolver) printedAll(values []value) []string {
	var all []string
	for _, v := range values {
		all = append(all, r.printedValue(v))
	}
	return all
}

// elementsOf returns the printed elements of a setting that is a list.
func (r resolver) elementsOf(p path) []string {
	var elements []string
	for _, part := range r.given.parts[printedPath(p)] {
		switch v := part.value.(type) {
		case reference:
			elements = append(elements, r.elementsOf(v.path)...)
		case list:
			elements = append(elements, r.printedAll(v.elements)...)
		}
	}
	return elements
}

func printedList(elements []string) string {
	return "[" + strings.Join(elements, ", ") + "]"
}
