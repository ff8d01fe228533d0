package textmerge

// merged returns the lines of the result and the counts.
func merged(b block) ([]string, counts) {
	head := 0
	for head < shortest(b) && b.mine[head] == b.base[head] && b.theirs[head] == b.base[head] {
		head++
	}
	tail := 0
	for tail < shortest(b)-head && fromEnd(b.mine, tail) == fromEnd(b.base, tail) && fromEnd(b.theirs, tail) == fromEnd(b.base, tail) {
		tail++
	}
	base, mine, theirs := middle(b.base, head, tail), middle(b.mine, head, tail), middle(b.theirs, head, tail)
	c := counts{kept: head + tail}
	lines := append([]string{}, b.base[:head]...)
	if len(base)+len(mine)+len(theirs) > 0 {
		lines = append(lines, decided(base, mine, theirs, &c)...)
	}
	return append(lines, b.base[len(b.base)-tail:]...), c
}

func decided(base, mine, theirs []string, c *counts) []string {
	if equal(mine, base) {
		c.theirs++
		return theirs
	}
	if equal(theirs, base) {
		c.mine++
		return mine
	}
	if equal(mine, theirs) {
		c.same++
		return mine
	}
	c.conflicts++
	lines := append([]string{"<<<<<<< mine\n"}, mine...)
	lines = append(lines, "=======\n")
	lines = append(lines, theirs...)
	return append(lines, ">>>>>>> theirs\n")
}

func shortest(b block) int {
	least := len(b.base)
	for _, text := range [][]string{b.mine, b.theirs} {
		if len(text) < least {
			least = len(text)
		}
	}
	return least
}

func fromEnd(text []string, distance int) string { return text[len(text)-1-distance] }

func middle(text []string, head, tail int) []string { return text[head : len(text)-tail] }

func equal(one, other []string) bool {
	if len(one) != len(other) {
		return false
	}
	for i := range one {
		if one[i] != other[i] {
			return false
		}
	}
	return true
}
