// Command settingsreader reads settings documents from standard input and prints the settings or the errors of each.
package main

import (
	"bufio"
	"io"
	"log"
	"os"

	"settingsreader/internal/settings"
)

func main() {
	if err := run(os.Stdin, os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(in io.Reader, out io.Writer) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	frames, err := settings.Frames(data)
	if err != nil {
		return err
	}
	writer := bufio.NewWriter(out)
	for _, frame := range frames {
		if _, err := writer.WriteString(settings.Report(frame.Name, settings.Read(frame.Text))); err != nil {
			return err
		}
	}
	return writer.Flush()
}
