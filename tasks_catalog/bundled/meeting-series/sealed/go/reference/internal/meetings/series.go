package meetings

// occurrence has a local minute as its original; start and end are instants.
type occurrence struct {
	series   *series
	original int
	start    int
	end      int
}

func (o occurrence) overlaps(start, end int) bool { return o.start < end && o.end > start }

// plan is when an occurrence starts on the clocks and how long it lasts.
type plan struct {
	local   int
	minutes int
	skipped bool
	changed bool
}

// series holds the originals of a series, each with its plan.
type series struct {
	name      string
	zone      *zone
	minutes   int
	originals []int
	plans     map[int]plan
}

func newSeries(name string, zone *zone, minutes int, originals []int) *series {
	s := &series{name: name, zone: zone, minutes: minutes, originals: originals, plans: map[int]plan{}}
	for _, original := range originals {
		s.plans[original] = plan{local: original, minutes: minutes}
	}
	return s
}

func (s *series) skip(original int) error {
	if _, err := s.planned(original); err != nil {
		return err
	}
	s.plans[original] = plan{skipped: true, changed: true}
	return nil
}

// move takes the minutes of the series for minutes that are 0.
func (s *series) move(original, local, minutes int) error {
	if _, err := s.planned(original); err != nil {
		return err
	}
	if minutes == 0 {
		minutes = s.minutes
	}
	s.plans[original] = plan{local: local, minutes: minutes, changed: true}
	return nil
}

func (s *series) restore(original int) error {
	current, known := s.plans[original]
	if !known {
		return Refused("unknown_occurrence")
	}
	if !current.changed {
		return Refused("not_changed")
	}
	s.plans[original] = plan{local: original, minutes: s.minutes}
	return nil
}

func (s *series) occurrence(original int) occurrence {
	planned := s.plans[original]
	start := s.zone.instant(planned.local)
	return occurrence{series: s, original: original, start: start, end: start + planned.minutes}
}

// overlapping returns the occurrences that overlap the window, in the order of their originals.
func (s *series) overlapping(start, end int) []occurrence {
	var found []occurrence
	for _, original := range s.originals {
		if s.plans[original].skipped {
			continue
		}
		if o := s.occurrence(original); o.overlaps(start, end) {
			found = append(found, o)
		}
	}
	return found
}

func (s *series) planned(original int) (plan, error) {
	current, known := s.plans[original]
	if !known {
		return plan{}, Refused("unknown_occurrence")
	}
	if current.skipped {
		return plan{}, Refused("already_skipped")
	}
	return current, nil
}
