//! The circuit breaker itself.

/// How a breaker stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum State {
    Closed,
    Open,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Closed => "closed",
            State::Open => "open",
        }
    }
}

/// Counts failures in a row and opens when there are too many of them.
pub struct Breaker {
    failure_threshold: i64,
    cooldown_ms: i64,
    failure_statuses: Vec<i64>,
    state: State,
    failures: i64,
    opened_at: i64,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(failure_threshold: i64, cooldown_ms: i64, failure_statuses: Vec<i64>) -> Breaker {
        Breaker {
            failure_threshold,
            cooldown_ms,
            failure_statuses,
            state: State::Closed,
            failures: 0,
            opened_at: 0,
        }
    }

    pub fn state(&self) -> State {
        self.state
    }

    pub fn failures(&self) -> i64 {
        self.failures
    }

    /// The instant at which calls are tried again, or None unless open.
    pub fn retry_at(&self) -> Option<i64> {
        match self.state {
            State::Open => Some(self.opened_at + self.cooldown_ms),
            State::Closed => None,
        }
    }

    pub fn admits(&self) -> bool {
        self.state != State::Open
    }

    /// Takes in the status code of a finished call; returns what it counted as.
    pub fn record(&mut self, status: i64, at: i64) -> &'static str {
        if !self.failure_statuses.contains(&status) {
            self.failures = 0;
            return "success";
        }
        self.failures += 1;
        if self.failures >= self.failure_threshold {
            self.state = State::Open;
            self.opened_at = at;
            self.failures = 0;
        }
        "failure"
    }
}
