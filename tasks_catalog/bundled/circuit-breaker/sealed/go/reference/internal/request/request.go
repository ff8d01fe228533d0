// Package request turns a line into a request that has every field in its type and range.
package request

import "encoding/json"

// Refusal is the error of a request that is not carried out: one of the ticket's error kinds.
type Refusal string

// The kinds of refusal.
const (
	InvalidJSON         Refusal = "invalid_json"
	NotAnObject         Refusal = "not_an_object"
	MissingField        Refusal = "missing_field"
	WrongType           Refusal = "wrong_type"
	UnknownOperation    Refusal = "unknown_operation"
	OutOfRange          Refusal = "out_of_range"
	ConflictingStatuses Refusal = "conflicting_statuses"
	AlreadyConfigured   Refusal = "already_configured"
	UnknownTarget       Refusal = "unknown_target"
	TimeBackwards       Refusal = "time_backwards"
	DuplicateCall       Refusal = "duplicate_call"
	UnknownCall         Refusal = "unknown_call"
)

// Error makes a Refusal an error.
func (r Refusal) Error() string { return string(r) }

// Configure makes a target known.
type Configure struct {
	Target           string
	FailureThreshold int64
	CooldownMs       int64
	SuccessStatuses  []int64
	FailureStatuses  []int64
	TrialLimit       int64
	TrialSuccesses   int64
}

// Call asks whether a call may go out.
type Call struct {
	Target string
	Call   string
	At     int64
}

// Result reports the status code that came back.
type Result struct {
	Target string
	Call   string
	At     int64
	Status int64
}

// Query asks how a target is.
type Query struct {
	Target string
	At     int64
}

// Parse returns the Configure, Call, Result or Query on a line; its error is a Refusal.
func Parse(line []byte) (any, error) {
	var value any
	if err := json.Unmarshal(line, &value); err != nil {
		return nil, InvalidJSON
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, NotAnObject
	}
	op, present := object["op"]
	if !present {
		return nil, MissingField
	}
	operation, ok := op.(string)
	if !ok {
		return nil, WrongType
	}
	f := &fields{values: object}
	request, err := read(operation, f)
	if err != nil {
		return nil, err
	}
	return request, f.verify()
}

func read(operation string, f *fields) (any, error) {
	switch operation {
	case "configure":
		return Configure{
			Target:           f.name("target"),
			FailureThreshold: f.integer("failure_threshold", count),
			CooldownMs:       f.integer("cooldown_ms", count),
			SuccessStatuses:  f.integers("success_statuses", status),
			FailureStatuses:  f.integers("failure_statuses", status),
			TrialLimit:       f.integerOr(1, "trial_limit", count),
			TrialSuccesses:   f.integerOr(1, "trial_successes", count),
		}, nil
	case "call":
		return Call{Target: f.name("target"), Call: f.name("call"), At: f.integer("at", instant)}, nil
	case "result":
		return Result{
			Target: f.name("target"),
			Call:   f.name("call"),
			At:     f.integer("at", instant),
			Status: f.integer("status", status),
		}, nil
	case "state":
		return Query{Target: f.name("target"), At: f.integer("at", instant)}, nil
	default:
		return nil, UnknownOperation
	}
}
