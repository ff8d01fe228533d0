package meetings

import "sort"

// clash is the time that two occurrences have in common, with their originals.
type clash struct {
	begin  int
	finish int
	first  int
	second int
}

// clashesOf returns the clashes of two series whose common time overlaps the window, in order.
func clashesOf(one, other *series, start, end int) []clash {
	var found []clash
	for _, a := range one.overlapping(start, end) {
		for _, b := range other.overlapping(start, end) {
			c := clash{larger(a.start, b.start), smaller(a.end, b.end), a.original, b.original}
			if c.begin < c.finish && c.begin < end && c.finish > start {
				found = append(found, c)
			}
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].before(found[j]) })
	return found
}

func (c clash) before(other clash) bool {
	if c.begin != other.begin {
		return c.begin < other.begin
	}
	if c.finish != other.finish {
		return c.finish < other.finish
	}
	if c.first != other.first {
		return c.first < other.first
	}
	return c.second < other.second
}
