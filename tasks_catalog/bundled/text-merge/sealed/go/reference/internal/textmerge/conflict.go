package textmerge

import "strings"

// conflict returns the lines that are written for a region in which both sides differ.
func conflict(r region, o options, markersEnd string) []string {
	switch {
	case o.favour == "mine":
		return r.mine
	case o.favour == "theirs":
		return r.theirs
	case o.style == "full":
		return joined(
			marker("<", o.mine, o.size, markersEnd), r.mine,
			marker("|", o.base, o.size, markersEnd), r.base,
			marker("=", "", o.size, markersEnd), r.theirs,
			marker(">", o.theirs, o.size, markersEnd),
		)
	}
	before, mine, theirs, after := withoutAgreement(r.mine, r.theirs, o.compare)
	return joined(
		before,
		marker("<", o.mine, o.size, markersEnd), mine,
		marker("=", "", o.size, markersEnd), theirs,
		marker(">", o.theirs, o.size, markersEnd),
		after,
	)
}

func marker(sign, label string, size int, end string) []string {
	if label != "" {
		label = " " + label
	}
	return []string{strings.Repeat(sign, size) + label + end}
}

// withoutAgreement returns the first lines that agree, what remains of both sides, and the last lines that agree.
func withoutAgreement(mine, theirs []string, compare string) (before, restMine, restTheirs, after []string) {
	head := agreeing(mine, theirs, compare)
	tail := agreeing(reversed(mine[head:]), reversed(theirs[head:]), compare)
	last := len(mine) - tail
	return mine[:head], mine[head:last], theirs[head : len(theirs)-tail], mine[last:]
}

func reversed(lines []string) []string {
	var turned []string
	for i := len(lines) - 1; i >= 0; i-- {
		turned = append(turned, lines[i])
	}
	return turned
}

func joined(parts ...[]string) []string {
	var all []string
	for _, part := range parts {
		all = append(all, part...)
	}
	return all
}
