package textmerge

// place is where a kept line is in the three texts.
type place struct {
	base   int
	mine   int
	theirs int
}

// region is lines of the three texts between two kept lines.
type region struct {
	base   []string
	mine   []string
	theirs []string
}

// merged returns the lines of the result and the counts.
func merged(b block) ([]string, counts) {
	markersEnd := endingOfMarkers(b.mine, b.theirs)
	var lines []string
	var c counts
	var from place
	for _, to := range append(kept(b), place{len(b.base), len(b.mine), len(b.theirs)}) {
		r := region{b.base[from.base:to.base], b.mine[from.mine:to.mine], b.theirs[from.theirs:to.theirs]}
		if len(r.base)+len(r.mine)+len(r.theirs) > 0 {
			lines = append(lines, decided(r, b.options, markersEnd, &c)...)
		}
		if to.base < len(b.base) {
			lines = append(lines, keptLine(b.base[to.base], b.mine[to.mine], b.theirs[to.theirs]))
			c.kept++
		}
		from = place{to.base + 1, to.mine + 1, to.theirs + 1}
	}
	return withEndings(lines, markersEnd), c
}

func kept(b block) []place {
	base := keys(b.base, b.options.compare)
	inMine := partners(base, keys(b.mine, b.options.compare))
	inTheirs := partners(base, keys(b.theirs, b.options.compare))
	var places []place
	for i := range base {
		if inMine[i] != nobody && inTheirs[i] != nobody {
			places = append(places, place{i, inMine[i], inTheirs[i]})
		}
	}
	return places
}

func keptLine(base, mine, theirs string) string {
	if mine != base {
		return mine
	}
	return theirs
}

func decided(r region, o options, markersEnd string, c *counts) []string {
	if equal(r.mine, r.base, o.compare) {
		c.theirs++
		return r.theirs
	}
	if equal(r.theirs, r.base, o.compare) {
		c.mine++
		return r.mine
	}
	if equal(r.mine, r.theirs, o.compare) {
		c.same++
		return r.mine
	}
	c.conflicts++
	return conflict(r, o, markersEnd)
}
