//! One series of occurrences and what was done to them.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::refusal::Refused;
use crate::zone::Zone;

/// The original is a local minute, start and end are instants.
pub struct Occurrence {
    pub original: i64,
    pub start: i64,
    pub end: i64,
}

/// When an occurrence starts on the clocks, and how long it lasts.
#[derive(Clone, Copy)]
struct Plan {
    local: i64,
    minutes: i64,
}

/// What was done to an occurrence.
#[derive(Clone, Copy)]
enum State {
    Untouched,
    Skipped,
    Moved(Plan),
}

pub struct Series {
    pub zone: Rc<Zone>,
    minutes: i64,
    states: BTreeMap<i64, State>,
}

impl Series {
    pub fn new(zone: Rc<Zone>, minutes: i64, originals: &[i64]) -> Series {
        let states = originals.iter().map(|original| (*original, State::Untouched)).collect();
        Series { zone, minutes, states }
    }

    pub fn skip(&mut self, original: i64) -> Result<(), Refused> {
        self.planned(original)?;
        self.states.insert(original, State::Skipped);
        Ok(())
    }

    /// Minutes that are None are those of the series.
    pub fn shift(&mut self, original: i64, local: i64, minutes: Option<i64>) -> Result<(), Refused> {
        self.planned(original)?;
        let minutes = minutes.unwrap_or(self.minutes);
        self.states.insert(original, State::Moved(Plan { local, minutes }));
        Ok(())
    }

    pub fn restore(&mut self, original: i64) -> Result<(), Refused> {
        if let State::Untouched = self.state(original)? {
            return Err(Refused("not_changed"));
        }
        self.states.insert(original, State::Untouched);
        Ok(())
    }

    /// Returns when an occurrence that is not skipped takes place.
    pub fn occurrence(&self, original: i64) -> Result<Occurrence, Refused> {
        let plan = self.planned(original)?;
        let start = self.zone.instant(plan.local);
        Ok(Occurrence { original, start, end: start + plan.minutes })
    }

    /// Returns the occurrences that overlap the window, in the order of their originals.
    pub fn overlapping(&self, start: i64, end: i64) -> Vec<Occurrence> {
        self.states
            .keys()
            .filter_map(|original| self.occurrence(*original).ok())
            .filter(|occurrence| occurrence.start < end && occurrence.end > start)
            .collect()
    }

    fn state(&self, original: i64) -> Result<State, Refused> {
        self.states.get(&original).copied().ok_or(Refused("unknown_occurrence"))
    }

    fn planned(&self, original: i64) -> Result<Plan, Refused> {
        match self.state(original)? {
            State::Untouched => Ok(Plan { local: original, minutes: self.minutes }),
            State::Moved(plan) => Ok(plan),
            State::Skipped => Err(Refused("already_skipped")),
        }
    }
}
