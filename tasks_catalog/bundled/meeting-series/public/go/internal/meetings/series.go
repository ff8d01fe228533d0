package meetings

// occurrence has a local minute as its original; start and end are instants.
type occurrence struct {
	series   *series
	original int
	start    int
	end      int
}

func (o occurrence) overlaps(start, end int) bool { return o.start < end && o.end > start }

// series holds the originals of a series, and what they have in common.
type series struct {
	name      string
	offset    int
	minutes   int
	originals []int
}

func (s *series) occurrence(original int) occurrence {
	start := original - s.offset
	return occurrence{series: s, original: original, start: start, end: start + s.minutes}
}

// overlapping returns the occurrences that overlap the window, in the order of their originals.
func (s *series) overlapping(start, end int) []occurrence {
	var found []occurrence
	for _, original := range s.originals {
		if o := s.occurrence(original); o.overlaps(start, end) {
			found = append(found, o)
		}
	}
	return found
}
