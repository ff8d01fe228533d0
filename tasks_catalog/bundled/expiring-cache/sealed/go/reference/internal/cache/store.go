package cache

import (
	"cmp"
	"strings"
)

const (
	expired     = "expired"
	evicted     = "evicted"
	invalidated = "invalidated"
)

// entry is absent if it says that there is no such thing; then its value is empty.
type entry struct {
	key        string
	value      string
	absent     bool
	version    int64
	slides     bool
	ttl        int64
	stale      int64
	tags       []string
	freshUntil int64
	lastUse    int64
}

func (e *entry) size() int64 {
	return sizeOf(e.key, e.value)
}

func (e *entry) deadFrom() int64 {
	return e.freshUntil + e.stale
}

func (e *entry) isFresh(at int64) bool {
	return at < e.freshUntil
}

func (e *entry) isLive(at int64) bool {
	return at < e.deadFrom()
}

func (e *entry) renew(at int64) {
	e.freshUntil = at + e.ttl
}

// store holds entries by key. Dead ones stay until they are removed.
type store struct {
	capacity int64
	entries  map[string]*entry
}

func (s *store) used() int64 {
	var bytes int64
	for _, each := range s.entries {
		bytes += each.size()
	}
	return bytes
}

// live returns the live entry of this key, or nil.
func (s *store) live(key string, at int64) *entry {
	e := s.entries[key]
	if e == nil || !e.isLive(at) {
		return nil
	}
	return e
}

// firstToGo returns the entry that is removed next when room is needed.
func (s *store) firstToGo(at int64) *entry {
	var first *entry
	for _, each := range s.entries {
		if first == nil || compareTurns(each, first, at) < 0 {
			first = each
		}
	}
	return first
}

func compareTurns(a, b *entry, at int64) int {
	if a.isLive(at) != b.isLive(at) {
		if a.isLive(at) {
			return 1
		}
		return -1
	}
	if !a.isLive(at) {
		return firstNonZero(cmp.Compare(a.deadFrom(), b.deadFrom()), strings.Compare(a.key, b.key))
	}
	return firstNonZero(
		cmp.Compare(a.lastUse, b.lastUse), cmp.Compare(b.size(), a.size()), strings.Compare(a.key, b.key),
	)
}

func firstNonZero(comparisons ...int) int {
	for _, each := range comparisons {
		if each != 0 {
			return each
		}
	}
	return 0
}

// sizeOf returns the bytes that an entry uses.
func sizeOf(key, value string) int64 {
	return int64(len(key) + len(value))
}
