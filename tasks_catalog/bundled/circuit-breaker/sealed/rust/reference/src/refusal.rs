//! Why a request is refused.

/// Why a request is not carried out: one of the ticket's error kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    InvalidJson,
    NotAnObject,
    MissingField,
    WrongType,
    UnknownOperation,
    OutOfRange,
    ConflictingStatuses,
    AlreadyConfigured,
    UnknownTarget,
    TimeBackwards,
    DuplicateCall,
    UnknownCall,
}

impl Refusal {
    pub fn kind(self) -> &'static str {
        match self {
            Refusal::InvalidJson => "invalid_json",
            Refusal::NotAnObject => "not_an_object",
            Refusal::MissingField => "missing_field",
            Refusal::WrongType => "wrong_type",
            Refusal::UnknownOperation => "unknown_operation",
            Refusal::OutOfRange => "out_of_range",
            Refusal::ConflictingStatuses => "conflicting_statuses",
            Refusal::AlreadyConfigured => "already_configured",
            Refusal::UnknownTarget => "unknown_target",
            Refusal::TimeBackwards => "time_backwards",
            Refusal::DuplicateCall => "duplicate_call",
            Refusal::UnknownCall => "unknown_call",
        }
    }
}
