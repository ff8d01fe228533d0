package meetings

// transition is an instant and the offset from then on.
type transition struct {
	at     int
	offset int
}

// zone is the clocks of one zone: a first offset and transitions.
type zone struct {
	offset      int
	transitions []transition
}

// instant returns the instant at which the clocks show this local time.
func (z *zone) instant(local int) int {
	offset := z.offset
	for _, next := range z.transitions {
		// The offset before a transition serves for what the clocks repeat and for what they leave out.
		if local < next.at+larger(offset, next.offset) {
			break
		}
		offset = next.offset
	}
	return local - offset
}

func (z *zone) local(instant int) int {
	offset := z.offset
	for _, next := range z.transitions {
		if instant < next.at {
			break
		}
		offset = next.offset
	}
	return instant + offset
}

func larger(a, b int) int {
	if a > b {
		return a
	}
	return b
}

func smaller(a, b int) int {
	if a < b {
		return a
	}
	return b
}
