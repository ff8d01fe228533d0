package invoice

import "sort"

// Largest is the largest magnitude of an amount, in smallest units.
const Largest int64 = 999_999_999_999_999

const (
	quantityPlaces = 3
	pricePlaces    = 6
)

// Currency is a declared currency.
type Currency struct {
	Code   string
	Digits int
}

// Line is one line; amounts are smallest units of the currency, the rate is in thousandths.
type Line struct {
	Name   string
	Rate   int64
	Amount int64
	Rebate int64
}

// Net is what is left of the amount.
func (l Line) Net() int64 { return l.Amount - l.Rebate }

// Group is what the lines of one rate come to.
type Group struct {
	Rate int64
	Net  int64
	Tax  int64
}

// Document keeps its lines in the order in which they were added. Every change of it is made whole
// or not at all; the errors are Refusals.
type Document struct {
	Name     string
	Currency Currency
	Lines    []Line

	rounding  Rounding
	hasRebate bool
}

// NewDocument returns a document without lines.
func NewDocument(name string, currency Currency, rounding Rounding) *Document {
	return &Document{Name: name, Currency: currency, rounding: rounding}
}

// AddLine adds a line and returns its amount.
func (d *Document) AddLine(name string, quantity, price, rate Decimal) (int64, error) {
	if d.hasRebate {
		return 0, Refusal("rebate_given")
	}
	if d.find(name) >= 0 {
		return 0, Refusal("line_exists")
	}
	exact := product(quantity.Scaled(quantityPlaces), price.Scaled(pricePlaces), powerOfTen(d.Currency.Digits))
	amount := d.rounding.Divide(exact, powerOfTen(quantityPlaces+pricePlaces))
	line := Line{Name: name, Rate: rate.Scaled(finest), Amount: amount}
	return amount, d.change(append(d.copyOfLines(), line))
}

// Discount lowers a line and returns the amount that is left.
func (d *Document) Discount(name, kind string, value Decimal) (int64, error) {
	if d.hasRebate {
		return 0, Refusal("rebate_given")
	}
	place := d.find(name)
	if place < 0 {
		return 0, Refusal("unknown_line")
	}
	lines := d.copyOfLines()
	line := &lines[place]
	sign := int64(1)
	if line.Amount < 0 {
		sign = -1
	}
	reduction, err := d.reduction(kind, value, sign*line.Amount)
	if err != nil {
		return 0, err
	}
	line.Amount -= sign * reduction
	return line.Amount, d.change(lines)
}

// Rebate lowers all lines that are no credits and returns the rebate.
func (d *Document) Rebate(kind string, value Decimal) (int64, error) {
	if d.hasRebate {
		return 0, Refusal("rebate_given")
	}
	lines := d.copyOfLines()
	weights := make([]int64, len(lines))
	for i, line := range lines {
		if line.Amount > 0 {
			weights[i] = line.Amount
		}
	}
	rebate, err := d.reduction(kind, value, sum(weights))
	if err != nil {
		return 0, err
	}
	for i, part := range Allocate(rebate, weights) {
		lines[i].Rebate = part
	}
	if err := d.change(lines, rebate); err != nil {
		return 0, err
	}
	d.hasRebate = true
	return rebate, nil
}

// Groups returns what the lines of each rate come to, in ascending order of the rates.
func (d *Document) Groups() []Group { return d.groupsOf(d.Lines) }

func (d *Document) groupsOf(lines []Line) []Group {
	nets := map[int64]int64{}
	for _, line := range lines {
		nets[line.Rate] += line.Net()
	}
	groups := make([]Group, 0, len(nets))
	for rate, net := range nets {
		groups = append(groups, Group{Rate: rate, Net: net, Tax: d.percentOf(net, rate)})
	}
	sort.Slice(groups, func(i, j int) bool { return groups[i].Rate < groups[j].Rate })
	return groups
}

func (d *Document) find(name string) int {
	for place, line := range d.Lines {
		if line.Name == name {
			return place
		}
	}
	return -1
}

func (d *Document) copyOfLines() []Line { return append([]Line(nil), d.Lines...) }

func (d *Document) reduction(kind string, value Decimal, base int64) (int64, error) {
	if kind == percentKind {
		return d.percentOf(base, value.Scaled(finest)), nil
	}
	if value.Places > d.Currency.Digits {
		return 0, Refusal("too_precise")
	}
	reduction := value.Scaled(d.Currency.Digits)
	if reduction > base {
		return 0, Refusal("discount_too_large")
	}
	return reduction, nil
}

func (d *Document) percentOf(units, thousandths int64) int64 {
	return d.rounding.Divide(product(units, thousandths), 100*powerOfTen(finest))
}

func (d *Document) change(lines []Line, shown ...int64) error {
	groups := d.groupsOf(lines)
	net, tax := SumOf(groups)
	shown = append(shown, net, tax, net+tax)
	for _, line := range lines {
		shown = append(shown, line.Amount, line.Net())
	}
	for _, group := range groups {
		shown = append(shown, group.Net, group.Tax)
	}
	for _, figure := range shown {
		if figure > Largest || figure < -Largest {
			return Refusal("overflow")
		}
	}
	d.Lines = lines
	return nil
}

// SumOf returns the net and the tax of all groups together.
func SumOf(groups []Group) (net, tax int64) {
	for _, group := range groups {
		net += group.Net
		tax += group.Tax
	}
	return net, tax
}
