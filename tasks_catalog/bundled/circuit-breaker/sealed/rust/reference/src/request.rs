//! From a line to a request that has every field in its type and range.

use crate::breaker::Settings;
use crate::fields::{Fields, COUNT, INSTANT, STATUS};
use crate::json::{self, Json};
use crate::refusal::Refusal;

pub enum Request {
    /// Makes a target known.
    Configure { target: String, settings: Settings },
    /// Asks whether a call may go out.
    Call { target: String, call: String, at: i64 },
    /// Reports the status code that came back.
    Result { target: String, call: String, at: i64, status: i64 },
    /// Asks how a target is.
    State { target: String, at: i64 },
}

/// The request on a line, or why it is refused.
pub fn parse(line: &str) -> Result<Request, Refusal> {
    let object = json::parse(line).map_err(|_| Refusal::InvalidJson)?;
    if !matches!(object, Json::Object(_)) {
        return Err(Refusal::NotAnObject);
    }
    let operation = match object.get("op").ok_or(Refusal::MissingField)? {
        Json::Text(operation) => operation,
        _ => return Err(Refusal::WrongType),
    };
    let mut fields = Fields::of(&object);
    let request = read(operation, &mut fields)?;
    fields.verify()?;
    Ok(request)
}

fn read(operation: &str, fields: &mut Fields<'_>) -> Result<Request, Refusal> {
    match operation {
        "configure" => Ok(Request::Configure {
            target: fields.name("target"),
            settings: Settings {
                failure_threshold: fields.integer("failure_threshold", COUNT),
                cooldown_ms: fields.integer("cooldown_ms", COUNT),
                success_statuses: fields.integers("success_statuses", STATUS),
                failure_statuses: fields.integers("failure_statuses", STATUS),
                trial_limit: fields.integer_or(1, "trial_limit", COUNT),
                trial_successes: fields.integer_or(1, "trial_successes", COUNT),
            },
        }),
        "call" => Ok(Request::Call {
            target: fields.name("target"),
            call: fields.name("call"),
            at: fields.integer("at", INSTANT),
        }),
        "result" => Ok(Request::Result {
            target: fields.name("target"),
            call: fields.name("call"),
            at: fields.integer("at", INSTANT),
            status: fields.integer("status", STATUS),
        }),
        "state" => Ok(Request::State {
            target: fields.name("target"),
            at: fields.integer("at", INSTANT),
        }),
        _ => Err(Refusal::UnknownOperation),
    }
}
