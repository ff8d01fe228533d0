package settings

import (
	"bytes"
	"fmt"
)

// Frame is one document of the input.
type Frame struct {
	Name string
	Text string
}

// Frames splits the input into documents.
func Frames(data []byte) ([]Frame, error) {
	var frames []Frame
	for len(data) > 0 {
		line, rest, _ := bytes.Cut(data, []byte("\n"))
		var name string
		var length int
		if _, err := fmt.Sscanf(string(line), "document %s %d", &name, &length); err != nil {
			return nil, fmt.Errorf("%q: %w", line, err)
		}
		frames = append(frames, Frame{Name: name, Text: string(rest[:length])})
		data = rest[length+1:]
	}
	return frames, nil
}
