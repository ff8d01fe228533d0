//! Why a command is refused.

/// A command that is not carried out, with one of the ticket's kinds.
pub struct Refused(pub &'static str);
