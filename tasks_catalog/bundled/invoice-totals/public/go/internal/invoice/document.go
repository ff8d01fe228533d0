package invoice

// Line is one line; amounts are cents.
type Line struct {
	Name   string
	Rate   int64
	Amount int64
	Rebate int64
}

// Net is what is left of the amount.
func (l *Line) Net() int64 { return l.Amount - l.Rebate }

// Tax is the tax on the net.
func (l *Line) Tax() int64 { return percentOf(l.Net(), l.Rate) }

// Document keeps its lines in the order in which they were added.
type Document struct {
	Name  string
	Code  string
	Lines []*Line
}

// AddLine adds a line and returns its amount.
func (d *Document) AddLine(name string, quantity, price, rate int64) int64 {
	line := &Line{Name: name, Rate: rate, Amount: quantity * price}
	d.Lines = append(d.Lines, line)
	return line.Amount
}

// Find returns the line of that name, or nil.
func (d *Document) Find(name string) *Line {
	for _, line := range d.Lines {
		if line.Name == name {
			return line
		}
	}
	return nil
}

// RebatePercent lowers all lines and returns the rebate.
func (d *Document) RebatePercent(percent int64) int64 {
	rebate := int64(0)
	for _, line := range d.Lines {
		line.Rebate = percentOf(line.Amount, percent)
		rebate += line.Rebate
	}
	return rebate
}

// RebateAmount lowers the first line and returns the rebate.
func (d *Document) RebateAmount(rebate int64) int64 {
	if len(d.Lines) > 0 {
		d.Lines[0].Rebate = rebate
	}
	return rebate
}

// Rates returns the rates of the lines, each once.
func (d *Document) Rates() []int64 {
	var rates []int64
	seen := map[int64]bool{}
	for _, line := range d.Lines {
		if !seen[line.Rate] {
			seen[line.Rate] = true
			rates = append(rates, line.Rate)
		}
	}
	return rates
}

func percentOf(units, percent int64) int64 {
	// rounded half up, also below zero
	exact := units*percent + 50
	quotient := exact / 100
	if exact%100 < 0 {
		quotient--
	}
	return quotient
}
