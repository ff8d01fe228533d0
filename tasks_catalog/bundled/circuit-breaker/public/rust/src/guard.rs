//! Carries out requests.

use crate::breaker::Breaker;
use crate::json::{self, Json};

/// Keeps the breaker and answers one request line after the other.
pub struct Guard {
    breaker: Option<Breaker>,
}

impl Guard {
    pub fn new() -> Guard {
        Guard { breaker: None }
    }

    pub fn answer(&mut self, line: &str) -> Json {
        let answer = json::parse(line).ok().and_then(|request| self.carry_out(&request));
        answer.unwrap_or_else(|| Json::object([("ok", false.into()), ("error", "bad_request".into())]))
    }

    fn carry_out(&mut self, request: &Json) -> Option<Json> {
        match text(request, "op")? {
            "configure" => self.configure(request),
            "call" => self.call(request),
            "result" => self.result(request),
            "state" => self.state(request),
            _ => None,
        }
    }

    fn configure(&mut self, request: &Json) -> Option<Json> {
        let breaker = Breaker::new(
            integer(request.get("failure_threshold")?)?,
            integer(request.get("cooldown_ms")?)?,
            integers(request, "failure_statuses")?,
        );
        let answer = Json::object([
            ("ok", true.into()),
            ("target", text(request, "target")?.into()),
            ("state", breaker.state().name().into()),
        ]);
        self.breaker = Some(breaker);
        Some(answer)
    }

    fn call(&self, request: &Json) -> Option<Json> {
        let breaker = self.breaker.as_ref()?;
        Some(Json::object([
            ("ok", true.into()),
            ("target", text(request, "target")?.into()),
            ("call", text(request, "call")?.into()),
            ("admitted", breaker.admits().into()),
            ("state", breaker.state().name().into()),
            ("retry_at", breaker.retry_at().into()),
        ]))
    }

    fn result(&mut self, request: &Json) -> Option<Json> {
        let breaker = self.breaker.as_mut()?;
        let status = integer(request.get("status")?)?;
        let at = integer(request.get("at")?)?;
        let counted = breaker.record(status, at);
        Some(Json::object([
            ("ok", true.into()),
            ("target", text(request, "target")?.into()),
            ("call", text(request, "call")?.into()),
            ("counted", counted.into()),
            ("state", breaker.state().name().into()),
        ]))
    }

    fn state(&self, request: &Json) -> Option<Json> {
        let breaker = self.breaker.as_ref()?;
        Some(Json::object([
            ("ok", true.into()),
            ("target", text(request, "target")?.into()),
            ("state", breaker.state().name().into()),
            ("failures", breaker.failures().into()),
            ("trials", 0.into()),
            ("successes", 0.into()),
            ("retry_at", breaker.retry_at().into()),
        ]))
    }
}

fn text<'a>(request: &'a Json, field: &str) -> Option<&'a str> {
    match request.get(field)? {
        Json::Text(text) => Some(text),
        _ => None,
    }
}

fn integer(value: &Json) -> Option<i64> {
    match value {
        Json::Number(number) => Some(*number as i64),
        _ => None,
    }
}

fn integers(request: &Json, field: &str) -> Option<Vec<i64>> {
    match request.get(field)? {
        Json::List(elements) => elements.iter().map(integer).collect(),
        _ => None,
    }
}
