//! One series of occurrences.

/// The original is a local minute, start and end are instants.
pub struct Occurrence {
    pub original: i64,
    pub start: i64,
    pub end: i64,
}

/// The originals of a series, and what they have in common.
pub struct Series {
    pub offset: i64,
    pub minutes: i64,
    pub originals: Vec<i64>,
}

impl Series {
    /// Returns the occurrences that overlap the window, in the order of their originals.
    pub fn overlapping(&self, start: i64, end: i64) -> Vec<Occurrence> {
        self.originals
            .iter()
            .map(|original| self.occurrence(*original))
            .filter(|occurrence| occurrence.start < end && occurrence.end > start)
            .collect()
    }

    fn occurrence(&self, original: i64) -> Occurrence {
        let start = original - self.offset;
        Occurrence { original, start, end: start + self.minutes }
    }
}
