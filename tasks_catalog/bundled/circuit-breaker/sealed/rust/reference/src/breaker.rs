//! The circuit breaker of one target.

use std::collections::{HashMap, HashSet};

/// How a breaker stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    Closed,
    Open,
    HalfOpen,
}

impl State {
    pub fn name(self) -> &'static str {
        match self {
            State::Closed => "closed",
            State::Open => "open",
            State::HalfOpen => "half_open",
        }
    }
}

/// What a result counted as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Counted {
    Success,
    Failure,
    Neither,
    Late,
}

impl Counted {
    pub fn name(self) -> &'static str {
        match self {
            Counted::Success => "success",
            Counted::Failure => "failure",
            Counted::Neither => "neither",
            Counted::Late => "late",
        }
    }
}

/// How one target's breaker is configured.
pub struct Settings {
    pub failure_threshold: i64,
    pub cooldown_ms: i64,
    pub success_statuses: HashSet<i64>,
    pub failure_statuses: HashSet<i64>,
    pub trial_limit: i64,
    pub trial_successes: i64,
}

impl Settings {
    fn classify(&self, status: i64) -> Counted {
        if self.success_statuses.contains(&status) {
            Counted::Success
        } else if self.failure_statuses.contains(&status) {
            Counted::Failure
        } else {
            Counted::Neither
        }
    }
}

/// Closed, open or half open; time enters only through `advance` and `record`.
///
/// Every change of state begins a new period. A call belongs to the period in which it was
/// admitted, and its result counts in that period alone.
pub struct Breaker {
    settings: Settings,
    state: State,
    period: u64,
    period_of_call: HashMap<String, u64>,
    opened_at: i64,
    failures: i64,
    trials: i64,
    successes: i64,
}

impl Breaker {
    /// A closed breaker.
    pub fn new(settings: Settings) -> Breaker {
        Breaker {
            settings,
            state: State::Closed,
            period: 0,
            period_of_call: HashMap::new(),
            opened_at: 0,
            failures: 0,
            trials: 0,
            successes: 0,
        }
    }

    pub fn state(&self) -> State {
        self.state
    }

    /// The failures in a row while closed.
    pub fn failures(&self) -> i64 {
        self.failures
    }

    /// The trial calls in flight while half open.
    pub fn trials(&self) -> i64 {
        self.trials
    }

    /// The successful trials while half open.
    pub fn successes(&self) -> i64 {
        self.successes
    }

    /// The instant at which an open breaker becomes half open, else None.
    pub fn retry_at(&self) -> Option<i64> {
        match self.state {
            State::Open => Some(self.cooldown_end()),
            State::Closed | State::HalfOpen => None,
        }
    }

    /// Tells whether the call was admitted and has no result yet.
    pub fn in_flight(&self, call: &str) -> bool {
        self.period_of_call.contains_key(call)
    }

    /// Lets time pass: an open breaker whose cooldown is over becomes half open.
    pub fn advance(&mut self, at: i64) {
        if self.state == State::Open && at >= self.cooldown_end() {
            self.enter(State::HalfOpen);
        }
    }

    /// Tells whether the call may go out; if so, it is in flight from now on.
    pub fn admit(&mut self, call: &str) -> bool {
        if self.state == State::Open {
            return false;
        }
        if self.state == State::HalfOpen {
            if self.trials >= self.settings.trial_limit {
                return false;
            }
            self.trials += 1;
        }
        self.period_of_call.insert(call.to_string(), self.period);
        true
    }

    /// Takes in the result of a call in flight; returns what it counted as.
    pub fn record(&mut self, call: &str, status: i64, at: i64) -> Counted {
        if self.period_of_call.remove(call) != Some(self.period) {
            return Counted::Late;
        }
        let counted = self.settings.classify(status);
        if self.state == State::Closed {
            self.record_normal(counted, at);
        } else {
            self.record_trial(counted, at);
        }
        counted
    }

    fn record_normal(&mut self, counted: Counted, at: i64) {
        if counted == Counted::Success {
            self.failures = 0;
        } else if counted == Counted::Failure {
            self.failures += 1;
            if self.failures >= self.settings.failure_threshold {
                self.open(at);
            }
        }
    }

    fn record_trial(&mut self, counted: Counted, at: i64) {
        self.trials -= 1;
        if counted == Counted::Failure {
            self.open(at);
        } else if counted == Counted::Success {
            self.successes += 1;
            if self.successes >= self.settings.trial_successes {
                self.enter(State::Closed);
            }
        }
    }

    fn cooldown_end(&self) -> i64 {
        self.opened_at + self.settings.cooldown_ms
    }

    fn open(&mut self, at: i64) {
        self.opened_at = at;
        self.enter(State::Open);
    }

    fn enter(&mut self, state: State) {
        self.state = state;
        self.period += 1;
        self.failures = 0;
        self.trials = 0;
        self.successes = 0;
    }
}
