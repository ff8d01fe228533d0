// Package invoice carries out invoice commands.
package invoice

import "fmt"

// Register keeps currencies and documents; it answers one command line after the other.
type Register struct {
	currencies map[string]Currency
	documents  map[string]*Document
}

// NewRegister returns a register that knows no currency and no document.
func NewRegister() *Register {
	return &Register{currencies: map[string]Currency{}, documents: map[string]*Document{}}
}

// Answer carries out one command and returns the lines of its answer.
func (r *Register) Answer(line string) []string {
	answer, err := r.carryOut(line)
	if err != nil {
		return []string{"refused " + err.Error()}
	}
	return answer
}

func (r *Register) carryOut(line string) ([]string, error) {
	request, err := Parse(line)
	if err != nil {
		return nil, err
	}
	switch request.Command {
	case "currency":
		return r.currency(request)
	case "open":
		return r.open(request)
	}
	document, known := r.documents[request.Words["doc"]]
	if !known {
		return nil, Refusal("unknown_document")
	}
	switch request.Command {
	case "lines":
		return listed(document), nil
	case "total":
		return totalled(document), nil
	}
	figure, err := changed(document, request)
	if err != nil {
		return nil, err
	}
	return []string{"ok " + FormatDecimal(figure, document.Currency.Digits)}, nil
}

func (r *Register) currency(request Request) ([]string, error) {
	code := request.Words["code"]
	if _, known := r.currencies[code]; known {
		return nil, Refusal("currency_exists")
	}
	digits, _ := ParseDecimal(request.Words["digits"])
	r.currencies[code] = Currency{Code: code, Digits: int(digits.Digits)}
	return []string{"ok"}, nil
}

func (r *Register) open(request Request) ([]string, error) {
	name := request.Words["doc"]
	if _, known := r.documents[name]; known {
		return nil, Refusal("document_exists")
	}
	currency, known := r.currencies[request.Words["code"]]
	if !known {
		return nil, Refusal("unknown_currency")
	}
	r.documents[name] = NewDocument(name, currency, Rounding(request.Words["rounding"]))
	return []string{"ok"}, nil
}

func changed(document *Document, request Request) (int64, error) {
	words, numbers := request.Words, request.Numbers
	switch request.Command {
	case "line":
		return document.AddLine(words["line"], numbers["quantity"], numbers["price"], numbers["rate"])
	case "discount":
		return document.Discount(words["line"], words["kind"], numbers["value"])
	default:
		return document.Rebate(words["kind"], numbers["value"])
	}
}

func listed(document *Document) []string {
	amount := amountsOf(document)
	answer := []string{fmt.Sprintf("lines %d", len(document.Lines))}
	for _, line := range document.Lines {
		answer = append(answer, fmt.Sprintf("item %s rate %s amount %s rebate %s net %s", line.Name,
			FormatShortest(line.Rate, finest), amount(line.Amount), amount(line.Rebate), amount(line.Net())))
	}
	return answer
}

func totalled(document *Document) []string {
	amount := amountsOf(document)
	groups := document.Groups()
	net, tax := SumOf(groups)
	answer := []string{fmt.Sprintf("total %s %s net %s tax %s gross %s",
		document.Name, document.Currency.Code, amount(net), amount(tax), amount(net+tax))}
	for _, group := range groups {
		answer = append(answer, fmt.Sprintf("rate %s net %s tax %s",
			FormatShortest(group.Rate, finest), amount(group.Net), amount(group.Tax)))
	}
	return answer
}

func amountsOf(document *Document) func(int64) string {
	return func(units int64) string { return FormatDecimal(units, document.Currency.Digits) }
}
