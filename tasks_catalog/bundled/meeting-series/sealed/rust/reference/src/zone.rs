//! The clocks of one zone.

pub struct Transition {
    pub at: i64,
    pub offset: i64,
}

/// A first offset and transitions, each an instant and the offset from then on.
pub struct Zone {
    pub offset: i64,
    pub transitions: Vec<Transition>,
}

impl Zone {
    /// Returns the instant at which the clocks show this local time.
    pub fn instant(&self, local: i64) -> i64 {
        let mut offset = self.offset;
        for next in &self.transitions {
            // The offset before a transition serves for what the clocks repeat and for what they leave out.
            if local < next.at + offset.max(next.offset) {
                break;
            }
            offset = next.offset;
        }
        local - offset
    }

    pub fn local(&self, instant: i64) -> i64 {
        let mut offset = self.offset;
        for next in &self.transitions {
            if instant < next.at {
                break;
            }
            offset = next.offset;
        }
        instant + offset
    }
}
