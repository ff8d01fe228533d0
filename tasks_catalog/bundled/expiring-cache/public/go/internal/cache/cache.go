// Package cache is the model of a cache.
package cache

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

const (
	refused     = "refused bad_command"
	fieldsOfSet = 7
)

// Cache answers one line after the other.
type Cache struct {
	store   store
	version int
	counts  map[string]int
}

// New returns a cache without room.
func New() *Cache {
	return &Cache{counts: map[string]int{}}
}

// Answer returns the lines of removals and the answer line of a command.
func (c *Cache) Answer(line string) []string {
	name, _, _ := strings.Cut(line, " ")
	fields := strings.Split(line, " ")
	if name == "set" {
		fields = strings.SplitN(line, " ", fieldsOfSet+1)
	}
	fields = fields[1:]
	switch {
	case name == "cache" && len(fields) == 2:
		c.store = store{capacity: number(fields[0])}
		return []string{"ok"}
	case name == "set" && len(fields) == fieldsOfSet:
		return c.set(number(fields[0]), fields[1], number(fields[3]), strings.Split(fields[5], ","), fields[6])
	case name == "get" && len(fields) == 2:
		return c.get(number(fields[0]), fields[1])
	case name == "touch" && len(fields) == 2:
		return c.touch(number(fields[0]), fields[1])
	case name == "delete" && len(fields) == 2:
		return c.delete(number(fields[0]), fields[1])
	case name == "invalidate" && len(fields) == 2:
		return c.invalidate(number(fields[0]), fields[1])
	case name == "resize" && len(fields) == 2:
		c.store.capacity = number(fields[1])
		return []string{fmt.Sprintf("ok %d", c.store.used())}
	case name == "stats" && len(fields) == 1:
		return []string{c.stats()}
	}
	return []string{refused}
}

func (c *Cache) set(at int64, key string, ttl int64, tags []string, value string) []string {
	c.version++
	lines := c.bury(at, key)
	for _, evicted := range c.store.put(&entry{key, value, c.version, ttl, at + ttl, tags}) {
		lines = append(lines, c.removed(evicted, "evicted"))
	}
	return append(lines, fmt.Sprintf("ok %d", c.version))
}

func (c *Cache) get(at int64, key string) []string {
	lines := c.bury(at, key)
	e := c.store.find(key)
	if e == nil {
		c.counts["misses"]++
		return append(lines, "miss yes")
	}
	c.counts["hits"]++
	return append(lines, fmt.Sprintf("hit %d %s", e.version, e.value))
}

func (c *Cache) touch(at int64, key string) []string {
	e := c.store.find(key)
	if e == nil || e.isDead(at) {
		return []string{refused}
	}
	e.until = at + e.ttl
	return []string{fmt.Sprintf("ok %d", e.until)}
}

func (c *Cache) delete(at int64, key string) []string {
	e := c.store.find(key)
	if e == nil || e.isDead(at) {
		return []string{refused}
	}
	c.store.remove(key)
	return []string{"ok"}
}

func (c *Cache) invalidate(at int64, tag string) []string {
	var keys []string
	for _, each := range c.store.entries {
		if slices.Contains(each.tags, tag) && !each.isDead(at) {
			keys = append(keys, each.key)
		}
	}
	slices.Sort(keys)
	var lines []string
	for _, key := range keys {
		c.store.remove(key)
		lines = append(lines, c.removed(key, "invalidated"))
	}
	return append(lines, fmt.Sprintf("ok %d", len(keys)))
}

func (c *Cache) stats() string {
	return fmt.Sprintf(
		"ok entries=%d bytes=%d hits=%d stale=0 absent=0 misses=%d expired=%d evicted=%d invalidated=%d loading=0",
		len(c.store.entries), c.store.used(), c.counts["hits"], c.counts["misses"],
		c.counts["expired"], c.counts["evicted"], c.counts["invalidated"],
	)
}

func (c *Cache) bury(at int64, key string) []string {
	e := c.store.find(key)
	if e == nil || !e.isDead(at) {
		return nil
	}
	c.store.remove(key)
	return []string{c.removed(key, "expired")}
}

func (c *Cache) removed(key, cause string) string {
	c.counts[cause]++
	return "removed " + key + " " + cause
}

// number is the number that a field holds; 0 if it holds none.
func number(text string) int64 {
	if len(text) > 13 || strings.Trim(text, "0123456789") != "" {
		return 0
	}
	value, _ := strconv.ParseInt(text, 10, 64)
	return value
}
