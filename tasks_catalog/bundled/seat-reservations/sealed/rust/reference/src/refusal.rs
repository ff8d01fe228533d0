//! Why a step is refused.

/// A step that changes nothing; its text is the answer.
pub struct Refused(pub String);

impl Refused {
    pub fn new(kind: &str) -> Refused {
        Refused(format!("refused {}", kind))
    }

    pub fn about(kind: &str, subject: &str) -> Refused {
        Refused(format!("refused {} {}", kind, subject))
    }
}
