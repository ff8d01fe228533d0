//! Why a command is refused.

/// A command that is not carried out, with one of the ticket's reasons.
#[derive(Debug, Clone, Copy)]
pub struct Refused(pub &'static str);
