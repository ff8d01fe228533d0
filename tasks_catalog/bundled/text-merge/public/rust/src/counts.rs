//! How a merge went.

/// Kept lines, and regions by what decided them.
#[derive(Default)]
pub struct Counts {
    pub kept: usize,
    pub theirs: usize,
    pub mine: usize,
    pub same: usize,
    pub conflicts: usize,
}

impl Counts {
    pub fn text(&self) -> String {
        let regions = format!("theirs={} mine={} same={}", self.theirs, self.mine, self.same);
        format!("kept={} {} conflicts={}", self.kept, regions, self.conflicts)
    }
}
