// Package guard carries out requests.
package guard

import (
	"encoding/json"

	"breakerguard/internal/breaker"
)

// Guard keeps the breaker and answers one request line after the other.
type Guard struct {
	breaker *breaker.Breaker
}

type request struct {
	Op               string  `json:"op"`
	Target           string  `json:"target"`
	Call             string  `json:"call"`
	At               int64   `json:"at"`
	Status           int64   `json:"status"`
	FailureThreshold int64   `json:"failure_threshold"`
	CooldownMs       int64   `json:"cooldown_ms"`
	FailureStatuses  []int64 `json:"failure_statuses"`
}

type refusal struct {
	OK    bool   `json:"ok"`
	Error string `json:"error"`
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
	OK      bool          `json:"ok"`
	Target  string        `json:"target"`
	Call    string        `json:"call"`
	Counted string        `json:"counted"`
	State   breaker.State `json:"state"`
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
func New() *Guard { return &Guard{} }

// Answer carries out one request line and returns a value to encode as its answer.
func (g *Guard) Answer(line []byte) any {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return refusal{Error: "bad_request"}
	}
	if r.Op == "configure" {
		return g.configure(r)
	}
	if g.breaker == nil {
		return refusal{Error: "bad_request"}
	}
	switch r.Op {
	case "call":
		return g.call(r)
	case "result":
		return g.result(r)
	case "state":
		return g.state(r)
	default:
		return refusal{Error: "bad_request"}
	}
}

func (g *Guard) configure(r request) any {
	g.breaker = breaker.New(r.FailureThreshold, r.CooldownMs, r.FailureStatuses)
	return configured{OK: true, Target: r.Target, State: g.breaker.State()}
}

func (g *Guard) call(r request) any {
	return called{
		OK:       true,
		Target:   r.Target,
		Call:     r.Call,
		Admitted: g.breaker.Admits(),
		State:    g.breaker.State(),
		RetryAt:  g.breaker.RetryAt(),
	}
}

func (g *Guard) result(r request) any {
	counted := g.breaker.Record(r.Status, r.At)
	return recorded{OK: true, Target: r.Target, Call: r.Call, Counted: counted, State: g.breaker.State()}
}

func (g *Guard) state(r request) any {
	return standing{
		OK:       true,
		Target:   r.Target,
		State:    g.breaker.State(),
		Failures: g.breaker.Failures(),
		RetryAt:  g.breaker.RetryAt(),
	}
}
