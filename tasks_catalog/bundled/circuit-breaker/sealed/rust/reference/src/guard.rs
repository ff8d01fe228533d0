//! Carries out requests.

use std::collections::HashMap;

use crate::breaker::{Breaker, Settings};
use crate::json::Json;
use crate::refusal::Refusal;
use crate::request::{self, Request};

/// Keeps every target's breaker and the clock; answers one line after the other.
pub struct Guard {
    breakers: HashMap<String, Breaker>,
    clock: i64,
}

impl Guard {
    pub fn new() -> Guard {
        Guard { breakers: HashMap::new(), clock: 0 }
    }

    pub fn answer(&mut self, line: &str) -> Json {
        match request::parse(line).and_then(|request| self.carry_out(request)) {
            Ok(answer) => answer,
            Err(refusal) => Json::object([("ok", false.into()), ("error", refusal.kind().into())]),
        }
    }

    fn carry_out(&mut self, request: Request) -> Result<Json, Refusal> {
        match request {
            Request::Configure { target, settings } => self.configure(target, settings),
            Request::Call { target, call, at } => self.call(&target, &call, at),
            Request::Result { target, call, at, status } => self.result(&target, &call, at, status),
            Request::State { target, at } => self.state(&target, at),
        }
    }

    fn configure(&mut self, target: String, settings: Settings) -> Result<Json, Refusal> {
        if !settings.success_statuses.is_disjoint(&settings.failure_statuses) {
            return Err(Refusal::ConflictingStatuses);
        }
        if self.breakers.contains_key(&target) {
            return Err(Refusal::AlreadyConfigured);
        }
        let breaker = Breaker::new(settings);
        let answer = Json::object([
            ("ok", true.into()),
            ("target", target.as_str().into()),
            ("state", breaker.state().name().into()),
        ]);
        self.breakers.insert(target, breaker);
        Ok(answer)
    }

    fn call(&mut self, target: &str, call: &str, at: i64) -> Result<Json, Refusal> {
        if self.breaker(target, at)?.in_flight(call) {
            return Err(Refusal::DuplicateCall);
        }
        let breaker = self.advance(target, at)?;
        let admitted = breaker.admit(call);
        Ok(Json::object([
            ("ok", true.into()),
            ("target", target.into()),
            ("call", call.into()),
            ("admitted", admitted.into()),
            ("state", breaker.state().name().into()),
            ("retry_at", breaker.retry_at().into()),
        ]))
    }

    fn result(&mut self, target: &str, call: &str, at: i64, status: i64) -> Result<Json, Refusal> {
        if !self.breaker(target, at)?.in_flight(call) {
            return Err(Refusal::UnknownCall);
        }
        let breaker = self.advance(target, at)?;
        let counted = breaker.record(call, status, at);
        Ok(Json::object([
            ("ok", true.into()),
            ("target", target.into()),
            ("call", call.into()),
            ("counted", counted.name().into()),
            ("state", breaker.state().name().into()),
        ]))
    }

    fn state(&mut self, target: &str, at: i64) -> Result<Json, Refusal> {
        let breaker = self.advance(target, at)?;
        Ok(Json::object([
            ("ok", true.into()),
            ("target", target.into()),
            ("state", breaker.state().name().into()),
            ("failures", breaker.failures().into()),
            ("trials", breaker.trials().into()),
            ("successes", breaker.successes().into()),
            ("retry_at", breaker.retry_at().into()),
        ]))
    }

    /// The breaker of a target, as it was left; `at` must not lie before the clock.
    fn breaker(&mut self, target: &str, at: i64) -> Result<&mut Breaker, Refusal> {
        let breaker = self.breakers.get_mut(target).ok_or(Refusal::UnknownTarget)?;
        if at < self.clock {
            return Err(Refusal::TimeBackwards);
        }
        Ok(breaker)
    }

    /// Moves the clock to `at`; returns the breaker of the target as it is then.
    fn advance(&mut self, target: &str, at: i64) -> Result<&mut Breaker, Refusal> {
        self.breaker(target, at)?;
        self.clock = at;
        let breaker = self.breaker(target, at)?;
        breaker.advance(at);
        Ok(breaker)
    }
}
