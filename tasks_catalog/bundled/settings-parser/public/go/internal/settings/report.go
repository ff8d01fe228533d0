package settings

import (
	"fmt"
	"strings"
)

// Report writes down what was read.
func Report(name string, document Document) string {
	var out strings.Builder
	if len(document.Errors) > 0 {
		fmt.Fprintf(&out, "document %s failed %d\n", name, len(document.Errors))
		for _, e := range document.Errors {
			fmt.Fprintf(&out, "%d:%d %s\n", e.Line, e.Column, e.Kind)
		}
		return out.String()
	}
	fmt.Fprintf(&out, "document %s ok %d\n", name, len(document.Settings))
	for _, setting := range document.Settings {
		fmt.Fprintf(&out, "%s = %s\n", setting.Path, setting.Value)
	}
	return out.String()
}
