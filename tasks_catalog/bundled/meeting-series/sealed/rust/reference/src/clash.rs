//! Time that occurrences of two series have in common.

use crate::series::Series;

/// Two instants and two originals; clashes are in the order of these.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
pub struct Clash {
    pub begin: i64,
    pub finish: i64,
    pub first: i64,
    pub second: i64,
}

/// Returns the clashes of two series whose common time overlaps the window, in order.
pub fn clashes(one: &Series, other: &Series, start: i64, end: i64) -> Vec<Clash> {
    let mut found = Vec::new();
    let others = other.overlapping(start, end);
    for a in one.overlapping(start, end) {
        for b in &others {
            let (begin, finish) = (a.start.max(b.start), a.end.min(b.end));
            if begin < finish && begin < end && finish > start {
                found.push(Clash { begin, finish, first: a.original, second: b.original });
            }
        }
    }
    found.sort();
    found
}
