// Package breaker holds the circuit breaker of one target.
package breaker

// State is how a breaker stands.
type State string

// The states of a breaker.
const (
	Closed   State = "closed"
	Open     State = "open"
	HalfOpen State = "half_open"
)

// Counted is what a result counted as.
type Counted string

// What a result may count as.
const (
	Success Counted = "success"
	Failure Counted = "failure"
	Neither Counted = "neither"
	Late    Counted = "late"
)

// Settings is how one target's breaker is configured.
type Settings struct {
	FailureThreshold int64
	CooldownMs       int64
	SuccessStatuses  map[int64]bool
	FailureStatuses  map[int64]bool
	TrialLimit       int64
	TrialSuccesses   int64
}

func (s Settings) classify(status int64) Counted {
	switch {
	case s.SuccessStatuses[status]:
		return Success
	case s.FailureStatuses[status]:
		return Failure
	default:
		return Neither
	}
}

// Breaker is closed, open or half open. Time enters only through Advance and Record.
//
// Every change of state begins a new period. A call belongs to the period in which it was
// admitted, and its result counts in that period alone.
type Breaker struct {
	settings     Settings
	state        State
	period       int64
	periodOfCall map[string]int64
	openedAt     int64
	failures     int64
	trials       int64
	successes    int64
}

// New returns a closed breaker.
func New(settings Settings) *Breaker {
	return &Breaker{settings: settings, state: Closed, periodOfCall: map[string]int64{}}
}

// State returns how the breaker stands.
func (b *Breaker) State() State { return b.state }

// Failures returns the failures in a row while closed.
func (b *Breaker) Failures() int64 { return b.failures }

// Trials returns the trial calls in flight while half open.
func (b *Breaker) Trials() int64 { return b.trials }

// Successes returns the successful trials while half open.
func (b *Breaker) Successes() int64 { return b.successes }

// RetryAt returns the instant at which an open breaker becomes half open, else nil.
func (b *Breaker) RetryAt() *int64 {
	if b.state != Open {
		return nil
	}
	at := b.cooldownEnd()
	return &at
}

// InFlight tells whether the call was admitted and has no result yet.
func (b *Breaker) InFlight(call string) bool {
	_, known := b.periodOfCall[call]
	return known
}

// Advance lets time pass: an open breaker whose cooldown is over becomes half open.
func (b *Breaker) Advance(at int64) {
	if b.state == Open && at >= b.cooldownEnd() {
		b.enter(HalfOpen)
	}
}

// Admit tells whether the call may go out. If so, it is in flight from now on.
func (b *Breaker) Admit(call string) bool {
	switch b.state {
	case Open:
		return false
	case HalfOpen:
		if b.trials >= b.settings.TrialLimit {
			return false
		}
		b.trials++
	}
	b.periodOfCall[call] = b.period
	return true
}

// Record takes in the result of a call in flight and returns what it counted as.
func (b *Breaker) Record(call string, status, at int64) Counted {
	period := b.periodOfCall[call]
	delete(b.periodOfCall, call)
	if period != b.period {
		return Late
	}
	counted := b.settings.classify(status)
	if b.state == Closed {
		b.recordNormal(counted, at)
	} else {
		b.recordTrial(counted, at)
	}
	return counted
}

func (b *Breaker) recordNormal(counted Counted, at int64) {
	switch counted {
	case Success:
		b.failures = 0
	case Failure:
		b.failures++
		if b.failures >= b.settings.FailureThreshold {
			b.open(at)
		}
	}
}

func (b *Breaker) recordTrial(counted Counted, at int64) {
	b.trials--
	switch counted {
	case Failure:
		b.open(at)
	case Success:
		b.successes++
		if b.successes >= b.settings.TrialSuccesses {
			b.enter(Closed)
		}
	}
}

func (b *Breaker) cooldownEnd() int64 { return b.openedAt + b.settings.CooldownMs }

func (b *Breaker) open(at int64) {
	b.openedAt = at
	b.enter(Open)
}

func (b *Breaker) enter(state State) {
	b.state = state
	b.period++
	b.failures = 0
	b.trials = 0
	b.successes = 0
}
