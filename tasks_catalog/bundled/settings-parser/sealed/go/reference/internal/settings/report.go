package settings

import (
	"fmt"
	"sort"
	"strings"
)

const mostErrors = 10

// Report writes down what was read.
func Report(name string, document Document) string {
	var out strings.Builder
	if len(document.Errors) > 0 {
		fmt.Fprintf(&out, "document %s failed %d\n", name, len(document.Errors))
		for _, e := range firstErrors(document.Errors) {
			fmt.Fprintf(&out, "%d:%d %s\n", e.Line, e.Column, e.Kind)
		}
		if len(document.Errors) > mostErrors {
			fmt.Fprintf(&out, "and %d more\n", len(document.Errors)-mostErrors)
		}
		return out.String()
	}
	fmt.Fprintf(&out, "document %s ok %d\n", name, len(document.Settings))
	for _, setting := range document.Settings {
		fmt.Fprintf(&out, "%s = %s\n", setting.Path, setting.Value)
	}
	return out.String()
}

func firstErrors(errors []Error) []Error {
	sort.Slice(errors, func(i, j int) bool {
		if errors[i].Line != errors[j].Line {
			return errors[i].Line < errors[j].Line
		}
		return errors[i].Column < errors[j].Column
	})
	return errors[:min(len(errors), mostErrors)]
}
