//! Why a command is refused.

use std::fmt::Display;

/// A command that changes nothing; its text is the answer.
pub struct Refused(pub String);

impl Refused {
    pub fn new(kind: &str) -> Refused {
        Refused(format!("refused {}", kind))
    }

    pub fn about(kind: &str, subject: impl Display) -> Refused {
        Refused(format!("refused {} {}", kind, subject))
    }
}
