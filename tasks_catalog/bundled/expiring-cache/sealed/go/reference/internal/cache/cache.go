// Package cache is the model of a cache.
package cache

import (
	"fmt"
	"slices"
	"unicode/utf8"
)

// Cache answers one line after the other.
//
// Each operation first finds all its refusals, and only then begins to change anything.
type Cache struct {
	store    *store
	longest  int64
	clock    int64
	version  int64
	loads    loads
	counts   map[string]int
	removals []string
}

// New returns a cache that was not opened yet.
func New() *Cache {
	return &Cache{counts: map[string]int{}, loads: loads{byKey: map[string]*load{}}}
}

// Answer returns the lines of removals and the answer line of a command.
func (c *Cache) Answer(line string) []string {
	c.removals = nil
	command, err := parse(line)
	if err != nil {
		return []string{err.Error()}
	}
	answer, err := c.carryOut(command)
	if err != nil {
		return []string{err.Error()}
	}
	return append(c.removals, answer)
}

func (c *Cache) carryOut(command *command) (string, error) {
	if command.name == "cache" {
		return c.open(command)
	}
	if c.store == nil {
		return "", refuse("not_open")
	}
	if c.isTooLong(command.key) {
		return "", refuse("key_too_long")
	}
	if c.isTooLong(command.value) {
		return "", refuse("value_too_long")
	}
	if command.at < c.clock {
		return "", refuse("time_backwards")
	}
	answer, err := c.operate(command)
	if err != nil {
		return "", err
	}
	c.clock = command.at
	return answer, nil
}

func (c *Cache) operate(command *command) (string, error) {
	switch command.name {
	case "set":
		return c.set(command, false)
	case "absent":
		return c.set(command, true)
	case "cas":
		return c.cas(command)
	case "get":
		return c.get(command), nil
	case "touch":
		return c.touch(command)
	case "delete":
		return c.delete(command)
	case "invalidate":
		return c.invalidate(command), nil
	case "load":
		return c.load(command)
	case "loaded":
		return c.loaded(command)
	case "failed":
		return c.failed(command)
	case "resize":
		return c.resize(command), nil
	}
	return c.stats(command), nil
}

func (c *Cache) open(command *command) (string, error) {
	if c.store != nil {
		return "", refuse("already_open")
	}
	c.store = &store{capacity: command.numbers["bytes"], entries: map[string]*entry{}}
	c.longest = command.numbers["chars"]
	return "ok", nil
}

func (c *Cache) set(command *command, absent bool) (string, error) {
	if c.isTooLarge(command) {
		return "", refuse("too_large")
	}
	return c.write(command, absent), nil
}

func (c *Cache) cas(command *command) (string, error) {
	var version int64
	if e := c.store.live(command.key, command.at); e != nil {
		version = e.version
	}
	if version != command.numbers["version"] {
		return "", refuseFor("wrong_version", version)
	}
	return c.set(command, false)
}

func (c *Cache) get(command *command) string {
	c.bury(command)
	refresh := "yes"
	if c.loads.underWay(command.key, command.at) != nil {
		refresh = "no"
	}
	e := c.store.live(command.key, command.at)
	if e == nil {
		c.counts["misses"]++
		return "miss " + refresh
	}
	e.lastUse = command.at
	if !e.isFresh(command.at) {
		c.counts["stale"]++
		return fmt.Sprintf("stale %d %s %s", e.version, refresh, e.value)
	}
	if e.slides {
		e.renew(command.at)
	}
	if e.absent {
		c.counts["absent"]++
		return fmt.Sprintf("absent %d", e.version)
	}
	c.counts["hits"]++
	return fmt.Sprintf("hit %d %s", e.version, e.value)
}

func (c *Cache) touch(command *command) (string, error) {
	e := c.store.live(command.key, command.at)
	if e == nil {
		return "", refuse("not_found")
	}
	if !e.isFresh(command.at) {
		return "", refuse("not_fresh")
	}
	e.renew(command.at)
	e.lastUse = command.at
	return fmt.Sprintf("ok %d", e.freshUntil), nil
}

func (c *Cache) delete(command *command) (string, error) {
	if c.store.live(command.key, command.at) == nil {
		return "", refuse("not_found")
	}
	delete(c.store.entries, command.key)
	c.loads.overtake(command.key)
	return "ok", nil
}

func (c *Cache) invalidate(command *command) string {
	tag := command.tags[0]
	var keys []string
	for key, each := range c.store.entries {
		if each.isLive(command.at) && slices.Contains(each.tags, tag) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for _, key := range keys {
		c.remove(key, invalidated)
		c.loads.overtake(key)
	}
	c.loads.invalidate(tag)
	return fmt.Sprintf("ok %d", len(keys))
}

func (c *Cache) load(command *command) (string, error) {
	if e := c.store.live(command.key, command.at); e != nil && e.isFresh(command.at) {
		return "", refuse("fresh")
	}
	if load := c.loads.underWay(command.key, command.at); load != nil {
		return "", refuseFor("in_flight", load.ticket)
	}
	c.bury(command)
	ticket := c.loads.begin(command.key, command.at+command.numbers["lease"])
	return fmt.Sprintf("ok %d", ticket), nil
}

func (c *Cache) loaded(command *command) (string, error) {
	load := c.findLoad(command)
	if load == nil {
		return "", refuse("unknown_load")
	}
	if c.isTooLarge(command) {
		return "", refuse("too_large")
	}
	c.loads.end(command.key)
	if load.isSuperseded(command.tags) {
		c.bury(command)
		return "ok superseded", nil
	}
	return c.write(command, false), nil
}

func (c *Cache) failed(command *command) (string, error) {
	if c.findLoad(command) == nil {
		return "", refuse("unknown_load")
	}
	c.bury(command)
	c.loads.end(command.key)
	return "ok", nil
}

func (c *Cache) resize(command *command) string {
	c.store.capacity = command.numbers["bytes"]
	c.makeRoom(0, command.at)
	return fmt.Sprintf("ok %d", c.store.used())
}

func (c *Cache) stats(command *command) string {
	line := fmt.Sprintf("ok entries=%d bytes=%d", len(c.store.entries), c.store.used())
	for _, name := range []string{"hits", "stale", "absent", "misses", expired, evicted, invalidated} {
		line += fmt.Sprintf(" %s=%d", name, c.counts[name])
	}
	return line + fmt.Sprintf(" loading=%d", c.loads.count(command.at))
}

// findLoad returns the load that the command answers, or nil.
func (c *Cache) findLoad(command *command) *load {
	load := c.loads.underWay(command.key, command.at)
	if load == nil || load.ticket != command.numbers["ticket"] {
		return nil
	}
	return load
}

func (c *Cache) isTooLong(text string) bool {
	return int64(utf8.RuneCountInString(text)) > c.longest
}

func (c *Cache) isTooLarge(command *command) bool {
	return sizeOf(command.key, command.value) > c.store.capacity
}

// write replaces the entry of the command's key and returns the answer.
func (c *Cache) write(command *command, absent bool) string {
	c.bury(command)
	delete(c.store.entries, command.key)
	c.makeRoom(sizeOf(command.key, command.value), command.at)
	c.version++
	e := &entry{
		key:     command.key,
		value:   command.value,
		absent:  absent,
		version: c.version,
		slides:  command.slides,
		ttl:     command.numbers["ttl"],
		stale:   command.numbers["stale"],
		tags:    command.tags,
		lastUse: command.at,
	}
	e.renew(command.at)
	c.store.entries[e.key] = e
	c.loads.overtake(e.key)
	return fmt.Sprintf("ok %d", c.version)
}

// makeRoom removes entries until so many more bytes fit.
func (c *Cache) makeRoom(size, at int64) {
	for c.store.used()+size > c.store.capacity {
		cause := expired
		victim := c.store.firstToGo(at)
		if victim.isLive(at) {
			cause = evicted
		}
		c.remove(victim.key, cause)
	}
}

// bury removes the entry of the command's key if it is dead.
func (c *Cache) bury(command *command) {
	if e := c.store.entries[command.key]; e != nil && !e.isLive(command.at) {
		c.remove(e.key, expired)
	}
}

func (c *Cache) remove(key, cause string) {
	delete(c.store.entries, key)
	c.counts[cause]++
	c.removals = append(c.removals, "removed "+key+" "+cause)
}
