package cache

// load holds the tags that were invalidated since it began.
type load struct {
	ticket      int64
	until       int64
	overtaken   bool
	invalidated map[string]bool
}

func (l *load) isSuperseded(tags []string) bool {
	for _, tag := range tags {
		if l.invalidated[tag] {
			return true
		}
	}
	return l.overtaken
}

// loads holds the last load of each key that has not ended by an answer; its lease may have ended.
type loads struct {
	lastTicket int64
	byKey      map[string]*load
}

// underWay returns the load of this key whose lease has not ended, or nil.
func (l *loads) underWay(key string, at int64) *load {
	found := l.byKey[key]
	if found == nil || at >= found.until {
		return nil
	}
	return found
}

// begin begins a load and returns its ticket.
func (l *loads) begin(key string, until int64) int64 {
	l.lastTicket++
	l.byKey[key] = &load{ticket: l.lastTicket, until: until, invalidated: map[string]bool{}}
	return l.lastTicket
}

func (l *loads) end(key string) {
	delete(l.byKey, key)
}

// overtake says that something newer than what the load of this key will bring has happened to the key.
func (l *loads) overtake(key string) {
	if found := l.byKey[key]; found != nil {
		found.overtaken = true
	}
}

func (l *loads) invalidate(tag string) {
	for _, each := range l.byKey {
		each.invalidated[tag] = true
	}
}

func (l *loads) count(at int64) int {
	count := 0
	for key := range l.byKey {
		if l.underWay(key, at) != nil {
			count++
		}
	}
	return count
}
