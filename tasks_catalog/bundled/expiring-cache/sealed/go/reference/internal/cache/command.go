package cache

import (
	"slices"
	"strconv"
	"strings"
)

const largest = 1_000_000_000_000

// layouts holds the fields of each command by name; only the value may hold spaces.
var layouts = map[string][]string{
	"cache":      {"bytes", "chars"},
	"set":        {"at", "key", "mode", "ttl", "stale", "tags", "value"},
	"absent":     {"at", "key", "ttl"},
	"cas":        {"at", "key", "version", "mode", "ttl", "stale", "tags", "value"},
	"get":        {"at", "key"},
	"touch":      {"at", "key"},
	"delete":     {"at", "key"},
	"invalidate": {"at", "tag"},
	"load":       {"at", "key", "lease"},
	"loaded":     {"at", "key", "ticket", "mode", "ttl", "stale", "tags", "value"},
	"failed":     {"at", "key", "ticket"},
	"resize":     {"at", "bytes"},
	"stats":      {"at"},
}

type numberRange struct {
	least, most int64
}

var ranges = map[string]numberRange{
	"at":      {0, largest},
	"bytes":   {0, largest},
	"chars":   {1, 1000},
	"ttl":     {1, largest},
	"stale":   {0, largest},
	"version": {0, largest},
	"lease":   {1, largest},
	"ticket":  {1, largest},
}

// command is one line taken apart; numbers holds the fields that are numbers, by name.
type command struct {
	name    string
	at      int64
	numbers map[string]int64
	key     string
	slides  bool
	tags    []string
	value   string
}

func parse(line string) (*command, error) {
	if line == "" {
		return nil, refuse("empty_line")
	}
	fields := strings.Split(line, " ")
	layout, known := layouts[fields[0]]
	if !known {
		return nil, refuse("unknown_command")
	}
	if layout[len(layout)-1] == "value" {
		fields = strings.SplitN(line, " ", 1+len(layout))
	}
	if len(fields) != 1+len(layout) {
		return nil, refuse("wrong_fields")
	}
	c := &command{name: fields[0], numbers: map[string]int64{}}
	for place, name := range layout {
		if err := c.take(name, fields[1+place]); err != nil {
			return nil, err
		}
	}
	c.at = c.numbers["at"]
	for place, tag := range c.tags {
		if slices.Contains(c.tags[:place], tag) {
			return nil, refuseFor("duplicate_tag", tag)
		}
	}
	return c, nil
}

func (c *command) take(name, text string) error {
	switch name {
	case "key":
		if text == "" {
			return refuse("bad_key")
		}
		c.key = text
	case "mode":
		if text != "abs" && text != "slide" {
			return refuse("bad_mode")
		}
		c.slides = text == "slide"
	case "tags":
		if text != "-" {
			c.tags = strings.Split(text, ",")
		}
	case "tag":
		c.tags = []string{text}
	case "value":
		c.value = text
	default:
		number, ok := parseNumber(text)
		if !ok || number < ranges[name].least || number > ranges[name].most {
			return refuse("bad_number")
		}
		c.numbers[name] = number
	}
	if slices.ContainsFunc(c.tags, isNoTag) {
		return refuse("bad_tags")
	}
	return nil
}

func isNoTag(text string) bool {
	return text == "" || len(text) > 10 || strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789") != ""
}

// parseNumber reads digits without a sign and without leading zeros.
func parseNumber(text string) (int64, bool) {
	if text == "" || strings.Trim(text, "0123456789") != "" || (text[0] == '0' && text != "0") {
		return 0, false
	}
	number, err := strconv.ParseInt(text, 10, 64)
	return number, err == nil
}
