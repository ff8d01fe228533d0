// Package guard carries out requests.
package guard

import (
	"errors"

	"breakerguard/internal/breaker"
	"breakerguard/internal/request"
)

// Guard keeps every target's breaker and the clock, and answers one line after the other.
type Guard struct {
	breakers map[string]*breaker.Breaker
	clock    int64
}

type refused struct {
	OK    bool            `json:"ok"`
	Error request.Refusal `json:"error"`
}

type configured struct {
	OK     bool          `json:"ok"`
	Target string        `json:"target"`
	State  breaker.State `json:"state"`
}

type called struct {
	OK       bool          `json:"ok"`
	Target   string        `json:"target"`
	Call     string        `json:"call"`
	Admitted bool          `json:"admitted"`
	State    breaker.State `json:"state"`
	RetryAt  *int64        `json:"retry_at"`
}

type recorded struct {
	OK      bool            `json:"ok"`
	Target  string          `json:"target"`
	Call    string          `json:"call"`
	Counted breaker.Counted `json:"counted"`
	State   breaker.State   `json:"state"`
}

type standing struct {
	OK        bool          `json:"ok"`
	Target    string        `json:"target"`
	State     breaker.State `json:"state"`
	Failures  int64         `json:"failures"`
	Trials    int64         `json:"trials"`
	Successes int64         `json:"successes"`
	RetryAt   *int64        `json:"retry_at"`
}

// New returns a guard that knows no target.
func New() *Guard {
	return &Guard{breakers: map[string]*breaker.Breaker{}}
}

// Answer carries out one request line and returns a value to encode as its answer.
func (g *Guard) Answer(line []byte) any {
	parsed, err := request.Parse(line)
	if err != nil {
		return refusal(err)
	}
	answer, err := g.carryOut(parsed)
	if err != nil {
		return refusal(err)
	}
	return answer
}

func refusal(err error) refused {
	var kind request.Refusal
	if !errors.As(err, &kind) {
		panic(err)
	}
	return refused{Error: kind}
}

func (g *Guard) carryOut(parsed any) (any, error) {
	switch r := parsed.(type) {
	case request.Configure:
		return g.configure(r)
	case request.Call:
		return g.call(r)
	case request.Result:
		return g.result(r)
	case request.Query:
		return g.state(r)
	default:
		return nil, request.UnknownOperation
	}
}

func (g *Guard) configure(r request.Configure) (any, error) {
	successes, failures := set(r.SuccessStatuses), set(r.FailureStatuses)
	for status := range successes {
		if failures[status] {
			return nil, request.ConflictingStatuses
		}
	}
	if _, known := g.breakers[r.Target]; known {
		return nil, request.AlreadyConfigured
	}
	b := breaker.New(breaker.Settings{
		FailureThreshold: r.FailureThreshold,
		CooldownMs:       r.CooldownMs,
		SuccessStatuses:  successes,
		FailureStatuses:  failures,
		TrialLimit:       r.TrialLimit,
		TrialSuccesses:   r.TrialSuccesses,
	})
	g.breakers[r.Target] = b
	return configured{OK: true, Target: r.Target, State: b.State()}, nil
}

func (g *Guard) call(r request.Call) (any, error) {
	b, err := g.breaker(r.Target, r.At)
	if err != nil {
		return nil, err
	}
	if b.InFlight(r.Call) {
		return nil, request.DuplicateCall
	}
	g.advance(b, r.At)
	admitted := b.Admit(r.Call)
	return called{
		OK:       true,
		Target:   r.Target,
		Call:     r.Call,
		Admitted: admitted,
		State:    b.State(),
		RetryAt:  b.RetryAt(),
	}, nil
}

func (g *Guard) result(r request.Result) (any, error) {
	b, err := g.breaker(r.Target, r.At)
	if err != nil {
		return nil, err
	}
	if !b.InFlight(r.Call) {
		return nil, request.UnknownCall
	}
	g.advance(b, r.At)
	counted := b.Record(r.Call, r.Status, r.At)
	return recorded{OK: true, Target: r.Target, Call: r.Call, Counted: counted, State: b.State()}, nil
}

func (g *Guard) state(r request.Query) (any, error) {
	b, err := g.breaker(r.Target, r.At)
	if err != nil {
		return nil, err
	}
	g.advance(b, r.At)
	return standing{
		OK:        true,
		Target:    r.Target,
		State:     b.State(),
		Failures:  b.Failures(),
		Trials:    b.Trials(),
		Successes: b.Successes(),
		RetryAt:   b.RetryAt(),
	}, nil
}

func (g *Guard) breaker(target string, at int64) (*breaker.Breaker, error) {
	b, known := g.breakers[target]
	if !known {
		return nil, request.UnknownTarget
	}
	if at < g.clock {
		return nil, request.TimeBackwards
	}
	return b, nil
}

func (g *Guard) advance(b *breaker.Breaker, at int64) {
	g.clock = at
	b.Advance(at)
}

func set(statuses []int64) map[int64]bool {
	all := make(map[int64]bool, len(statuses))
	for _, status := range statuses {
		all[status] = true
	}
	return all
}
