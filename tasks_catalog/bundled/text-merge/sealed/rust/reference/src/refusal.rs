//! Why input is refused.

/// Input that is no block, with one of the ticket's kinds.
pub struct Refused(pub &'static str);
