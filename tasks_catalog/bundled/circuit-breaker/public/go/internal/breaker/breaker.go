// Package breaker holds the circuit breaker itself.
package breaker

// State is how a breaker stands.
type State string

// The states of a breaker.
const (
	Closed   State = "closed"
	Open     State = "open"
	HalfOpen State = "half_open"
)

// Breaker counts failures in a row and opens when there are too many of them.
type Breaker struct {
	FailureThreshold int64
	CooldownMs       int64
	FailureStatuses  []int64

	state    State
	failures int64
	openedAt int64
}

// New returns a closed breaker.
func New(failureThreshold, cooldownMs int64, failureStatuses []int64) *Breaker {
	return &Breaker{
		FailureThreshold: failureThreshold,
		CooldownMs:       cooldownMs,
		FailureStatuses:  failureStatuses,
		state:            Closed,
	}
}

// State returns how the breaker stands.
func (b *Breaker) State() State { return b.state }

// Failures returns the number of failures in a row.
func (b *Breaker) Failures() int64 { return b.failures }

// Admits tells whether a call may go out.
func (b *Breaker) Admits() bool { return b.state != Open }

// RetryAt returns the instant at which calls are tried again, or nil unless open.
func (b *Breaker) RetryAt() *int64 {
	if b.state != Open {
		return nil
	}
	at := b.openedAt + b.CooldownMs
	return &at
}

// Record takes in the status code of a finished call and returns what it counted as.
func (b *Breaker) Record(status, at int64) string {
	if !b.isFailure(status) {
		b.failures = 0
		return "success"
	}
	b.failures++
	if b.failures >= b.FailureThreshold {
		b.state = Open
		b.openedAt = at
		b.failures = 0
	}
	return "failure"
}

func (b *Breaker) isFailure(status int64) bool {
	for _, listed := range b.FailureStatuses {
		if listed == status {
			return true
		}
	}
	return false
}
