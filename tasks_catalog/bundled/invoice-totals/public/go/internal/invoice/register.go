// Package invoice carries out invoice commands.
package invoice

import (
	"fmt"
	"strings"
)

var refused = []string{"refused bad_command"}

// Register keeps documents; it answers one command line after the other.
type Register struct {
	documents map[string]*Document
}

// NewRegister returns a register that knows no document.
func NewRegister() *Register { return &Register{documents: map[string]*Document{}} }

// Answer carries out one command and returns the lines of its answer.
func (r *Register) Answer(line string) []string {
	words := strings.Split(line, " ")
	if len(words) < 2 {
		return refused
	}
	if words[0] == "currency" {
		return []string{"ok"}
	}
	if words[0] == "open" && len(words) > 2 {
		r.documents[words[1]] = &Document{Name: words[1], Code: words[2]}
		return []string{"ok"}
	}
	document := r.documents[words[1]]
	switch {
	case document == nil:
		return refused
	case words[0] == "line" && len(words) == 6:
		return addLine(document, words[2], words[3], words[4], words[5])
	case words[0] == "discount" && len(words) == 5:
		return discount(document, words[2], words[3], words[4])
	case words[0] == "rebate" && len(words) == 4:
		return rebate(document, words[2], words[3])
	case words[0] == "lines":
		return lines(document)
	case words[0] == "total":
		return total(document)
	}
	return refused
}

func addLine(document *Document, name, quantity, price, rate string) []string {
	count, countOK := parseWhole(quantity)
	cents, centsOK := parseHundredths(price)
	percent, percentOK := parseWhole(rate)
	if !countOK || !centsOK || !percentOK {
		return refused
	}
	return []string{"ok " + formatHundredths(document.AddLine(name, count, cents, percent))}
}

func discount(document *Document, name, kind, value string) []string {
	line := document.Find(name)
	cents, ok := parseHundredths(value)
	if line == nil || !ok {
		return refused
	}
	if kind == "percent" {
		line.Amount -= percentOf(line.Amount, cents/100)
	} else {
		line.Amount -= cents
	}
	return []string{"ok " + formatHundredths(line.Amount)}
}

func rebate(document *Document, kind, value string) []string {
	cents, ok := parseHundredths(value)
	if !ok {
		return refused
	}
	if kind == "percent" {
		return []string{"ok " + formatHundredths(document.RebatePercent(cents/100))}
	}
	return []string{"ok " + formatHundredths(document.RebateAmount(cents))}
}

func lines(document *Document) []string {
	answer := []string{fmt.Sprintf("lines %d", len(document.Lines))}
	for _, line := range document.Lines {
		answer = append(answer, fmt.Sprintf("item %s rate %d amount %s rebate %s net %s", line.Name, line.Rate,
			formatHundredths(line.Amount), formatHundredths(line.Rebate), formatHundredths(line.Net())))
	}
	return answer
}

func total(document *Document) []string {
	net, tax := int64(0), int64(0)
	for _, line := range document.Lines {
		net += line.Net()
		tax += line.Tax()
	}
	answer := []string{fmt.Sprintf("total %s %s net %s tax %s gross %s", document.Name, document.Code,
		formatHundredths(net), formatHundredths(tax), formatHundredths(net+tax))}
	for _, rate := range document.Rates() {
		net, tax := int64(0), int64(0)
		for _, line := range document.Lines {
			if line.Rate == rate {
				net += line.Net()
				tax += line.Tax()
			}
		}
		answer = append(answer, fmt.Sprintf("rate %d net %s tax %s", rate, formatHundredths(net), formatHundredths(tax)))
	}
	return answer
}
