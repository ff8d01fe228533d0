//! The two ways in which a command is not carried out.

/// Each with one of the ticket's reasons.
#[derive(Debug, Clone, Copy)]
pub enum Denied {
    /// The command leaves no trace.
    Refused(&'static str),
    /// The command is remembered, but moves nothing.
    Declined(&'static str),
}
