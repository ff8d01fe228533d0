package settings

import "sort"

// Read reads a document statement by statement and returns all settings, or all errors.
func Read(text string) Document {
	r := reader{scanner: &scanner{source: newSource(text)}, given: newGiven(), inSection: true}
	for r.scanner.here() != nothing {
		r.statement()
	}
	resolver{r.given}.noteErrors(r.scanner.note)
	if len(r.scanner.errors) > 0 {
		return Document{Errors: r.scanner.errors}
	}
	paths := r.given.paths
	sort.Slice(paths, func(i, j int) bool { return before(paths[i], paths[j]) })
	var settings []Setting
	for _, p := range paths {
		settings = append(settings, Setting{Path: printedPath(p), Value: resolver{r.given}.printed(p)})
	}
	return Document{Settings: settings}
}

func before(one, other path) bool {
	for i := 0; i < len(one) && i < len(other); i++ {
		if one[i] != other[i] {
			return one[i] < other[i]
		}
	}
	return len(one) < len(other)
}

// reader reads statements. Without a section to put settings into, inSection is false.
type reader struct {
	scanner   *scanner
	given     *given
	section   path
	inSection bool
}

func (r *reader) statement() {
	r.scanner.openLists = 0
	r.scanner.blanks()
	switch {
	case r.scanner.atLineEnd() || r.scanner.here() == '#':
		r.scanner.end()
	case r.scanner.here() == '[':
		r.header()
	default:
		r.setting()
	}
}

func (r *reader) header() {
	// Until the header has proved to be right, there is no section to put settings into.
	r.inSection = false
	r.scanner.position++
	keys, ok := r.scanner.path(']')
	if !ok || !r.scanner.end() {
		return
	}
	section, right := pathOf(keys)
	if !right {
		return
	}
	if clash := r.given.openSection(section); clash > 0 {
		r.scanner.note(keys[clash-1].start, "key-section-clash")
		return
	}
	r.section = section
	r.inSection = true
}

func (r *reader) setting() {
	k, ok := r.scanner.key()
	if !ok {
		return
	}
	r.scanner.blanks()
	give, ok := r.operator()
	if !ok {
		return
	}
	r.scanner.blanks()
	start := r.scanner.position
	v, ok := r.value()
	if !ok || !r.scanner.end() {
		v = unknown{}
	}
	if !r.inSection || !k.right {
		return
	}
	setting := append(append(path{}, r.section...), k.text)
	if kind := give(setting, part{v, start}); kind != "" {
		r.scanner.note(k.start, kind)
	}
}

// operator returns what the operator does with a path and a part.
func (r *reader) operator() (func(path, part) string, bool) {
	if r.scanner.here() == '=' {
		r.scanner.position++
		return r.given.set, true
	}
	if r.scanner.here() == '+' && r.scanner.next() == '=' {
		r.scanner.position += 2
		return r.given.append, true
	}
	return nil, r.scanner.fail(r.scanner.position, "expected-operator")
}

func (r *reader) value() (value, bool) {
	switch {
	case r.scanner.here() == '"':
		text, right, ok := r.scanner.string()
		if !right {
			return unknown{}, ok
		}
		return single{printedString(text)}, ok
	case r.scanner.here() == '[':
		return r.list()
	case r.scanner.here() == '$' && r.scanner.next() == '{':
		return r.reference()
	case r.scanner.here() == nothing || r.scanner.hereIsIn(endsWord):
		return nil, r.scanner.fail(r.scanner.position, "expected-value")
	}
	return r.word(), true
}

func (r *reader) list() (value, bool) {
	opening := r.scanner.position
	r.scanner.position++
	r.scanner.openLists++
	elements := []value{}
	if !r.scanner.spaceInList(opening) {
		return nil, false
	}
	for r.scanner.here() != ']' {
		element, ok := r.value()
		if !ok || !r.scanner.spaceInList(opening) {
			return nil, false
		}
		elements = append(elements, element)
		if r.scanner.here() == ',' {
			r.scanner.position++
			if !r.scanner.spaceInList(opening) {
				return nil, false
			}
		} else if r.scanner.here() != ']' {
			return nil, r.scanner.fail(r.scanner.position, "expected-comma")
		}
	}
	r.scanner.position++
	r.scanner.openLists--
	return list{elements}, true
}

func (r *reader) reference() (value, bool) {
	start := r.scanner.position
	r.scanner.position += 2
	keys, ok := r.scanner.path('}')
	if !ok {
		return nil, false
	}
	target, right := pathOf(keys)
	if !right {
		return unknown{}, true
	}
	return reference{target, start}, true
}

func (r *reader) word() value {
	start := r.scanner.position
	printed, wrong := readWord(r.scanner.word())
	if wrong != nil {
		r.scanner.note(start+wrong.offset, wrong.kind)
		return unknown{}
	}
	return single{printed}
}

// pathOf returns the path, and whether there was no error in any of the keys.
func pathOf(keys []key) (path, bool) {
	var p path
	for _, k := range keys {
		if !k.right {
			return nil, false
		}
		p = append(p, k.text)
	}
	return p, true
}
