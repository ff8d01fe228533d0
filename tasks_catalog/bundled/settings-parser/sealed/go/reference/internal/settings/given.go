package settings

// path is the keys of a section or setting.
type path []string

// given is what a document gives: settings with the parts of their values, and sections. Both maps go by printed path.
type given struct {
	paths    []path
	parts    map[string][]part
	sections map[string]bool
}

func newGiven() *given {
	return &given{parts: map[string][]part{}, sections: map[string]bool{}}
}

// openSection makes the path a section. It returns 0, or how many of its keys are the path of a setting.
func (g *given) openSection(section path) int {
	for length := 1; length <= len(section); length++ {
		if g.has(section[:length]) {
			return length
		}
	}
	for length := 1; length <= len(section); length++ {
		g.sections[printedPath(section[:length])] = true
	}
	return 0
}

func (g *given) has(setting path) bool {
	return len(g.parts[printedPath(setting)]) > 0
}

// set returns the kind of error, "" if there is none.
func (g *given) set(setting path, p part) string {
	if g.sections[printedPath(setting)] {
		return "key-section-clash"
	}
	if g.has(setting) {
		return "duplicate-key"
	}
	g.paths = append(g.paths, setting)
	g.parts[printedPath(setting)] = []part{p}
	return ""
}

// append returns the kind of error, "" if there is none.
func (g *given) append(setting path, p part) string {
	if g.sections[printedPath(setting)] {
		return "key-section-clash"
	}
	if !g.has(setting) {
		g.paths = append(g.paths, setting)
		g.parts[printedPath(setting)] = []part{{unknown{}, p.start}}
		return "unset-append"
	}
	g.parts[printedPath(setting)] = append(g.parts[printedPath(setting)], p)
	return ""
}
