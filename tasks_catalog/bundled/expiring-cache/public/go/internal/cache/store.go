package cache

import "unicode/utf8"

// entry has lived for its time to live at the instant until.
type entry struct {
	key     string
	value   string
	version int
	ttl     int64
	until   int64
	tags    []string
}

func (e *entry) size() int64 {
	return int64(utf8.RuneCountInString(e.key) + utf8.RuneCountInString(e.value))
}

func (e *entry) isDead(at int64) bool {
	return at > e.until
}

// store holds entries in the order in which they were stored.
type store struct {
	capacity int64
	entries  []*entry
}

func (s *store) find(key string) *entry {
	for _, each := range s.entries {
		if each.key == key {
			return each
		}
	}
	return nil
}

func (s *store) used() int64 {
	var bytes int64
	for _, each := range s.entries {
		bytes += each.size()
	}
	return bytes
}

func (s *store) remove(key string) {
	for place, each := range s.entries {
		if each.key == key {
			s.entries = append(s.entries[:place], s.entries[place+1:]...)
			return
		}
	}
}

// put stores an entry and returns the keys of those that had to go.
func (s *store) put(e *entry) []string {
	s.remove(e.key)
	var evicted []string
	for len(s.entries) > 0 && s.used()+e.size() > s.capacity {
		evicted = append(evicted, s.entries[0].key)
		s.entries = s.entries[1:]
	}
	s.entries = append(s.entries, e)
	return evicted
}
