package request

import "math"

const largest = 1_000_000_000_000

type bounds struct{ least, most int64 }

var (
	count   = bounds{1, largest}
	instant = bounds{0, largest}
	status  = bounds{100, 599}
)

// fields reads the fields of one request by name. What is wrong is collected while reading,
// so that verify can report the gravest of all fields: one that is absent before one of the
// wrong type before one out of range.
type fields struct {
	values     map[string]any
	absent     bool
	mistyped   bool
	outOfRange bool
}

func (f *fields) verify() error {
	switch {
	case f.absent:
		return MissingField
	case f.mistyped:
		return WrongType
	case f.outOfRange:
		return OutOfRange
	default:
		return nil
	}
}

func (f *fields) name(field string) string {
	text, ok := f.present(field).(string)
	if !ok {
		f.mistyped = true
	} else if text == "" {
		f.outOfRange = true
	}
	return text
}

func (f *fields) integer(field string, allowed bounds) int64 {
	return f.whole(f.present(field), allowed)
}

func (f *fields) integerOr(otherwise int64, field string, allowed bounds) int64 {
	if _, present := f.values[field]; !present {
		return otherwise
	}
	return f.integer(field, allowed)
}

func (f *fields) integers(field string, allowed bounds) []int64 {
	list, ok := f.present(field).([]any)
	if !ok {
		f.mistyped = true
	}
	whole := make([]int64, 0, len(list))
	for _, element := range list {
		whole = append(whole, f.whole(element, allowed))
	}
	return whole
}

func (f *fields) present(field string) any {
	value, present := f.values[field]
	if !present {
		f.absent = true
	}
	return value
}

func (f *fields) whole(value any, allowed bounds) int64 {
	number, ok := value.(float64)
	if !ok || number != math.Trunc(number) {
		f.mistyped = true
		return 0
	}
	if number < float64(allowed.least) || number > float64(allowed.most) {
		f.outOfRange = true
		return 0
	}
	return int64(number)
}
