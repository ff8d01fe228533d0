// Package settings reads documents of the settings language.
package settings

// Document is what was read: settings or errors.
type Document struct {
	Settings []Setting
	Errors   []Error
}

// Setting is a path and a value as they are printed.
type Setting struct {
	Path  string
	Value string
}

// Error is a mistake and its place. Lines and columns count from 1.
type Error struct {
	Line   int
	Column int
	Kind   string
}
