//! What was answered under which key.

use std::collections::HashMap;

use crate::outcome::Denied::{self, Refused};

/// Seconds from the first use of a key.
const REMEMBERED_FOR: i64 = 86_400;

struct Use {
    at: i64,
    content: String,
    answer: String,
}

/// Remembers the answers to keyed commands; every client has keys of its own.
#[derive(Default)]
pub struct Keys {
    uses: HashMap<(String, String), Use>,
}

impl Keys {
    /// Returns the remembered answer, or None if the key is new or forgotten; refuses a key that is
    /// remembered with another content.
    pub fn recall(&self, client: &str, key: &str, at: i64, content: &str) -> Result<Option<String>, Denied> {
        let remembered = match self.uses.get(&name_of(client, key)) {
            Some(remembered) if at < remembered.at + REMEMBERED_FOR => remembered,
            _ => return Ok(None),
        };
        if remembered.content != content {
            return Err(Refused("key_conflict"));
        }
        Ok(Some(remembered.answer.clone()))
    }

    pub fn remember(&mut self, client: &str, key: &str, at: i64, content: &str, answer: &str) {
        let used = Use { at, content: content.to_string(), answer: answer.to_string() };
        self.uses.insert(name_of(client, key), used);
    }
}

fn name_of(client: &str, key: &str) -> (String, String) {
    (client.to_string(), key.to_string())
}
