//! Carries out commands.

use std::collections::HashMap;

use crate::command::{parse, Command};
use crate::loads::{Load, Loads};
use crate::refusal::Refused;
use crate::store::{size_of, Entry, Store, EVICTED, EXPIRED, INVALIDATED};

const COUNTED: [&str; 7] = ["hits", "stale", "absent", "misses", EXPIRED, EVICTED, INVALIDATED];

/// Answers one line after the other.
///
/// Each operation first finds all its refusals, and only then begins to change anything.
#[derive(Default)]
pub struct Cache {
    is_open: bool,
    store: Store,
    longest: usize,
    clock: u64,
    version: u64,
    loads: Loads,
    counts: HashMap<&'static str, u64>,
    removals: Vec<String>,
}

impl Cache {
    /// The lines of removals and the answer line of a command.
    pub fn answer(&mut self, line: &str) -> Vec<String> {
        self.removals.clear();
        match parse(line).and_then(|command| self.carry_out(&command)) {
            Ok(answer) => {
                self.removals.push(answer);
                std::mem::take(&mut self.removals)
            }
            Err(Refused(answer)) => vec![answer],
        }
    }

    fn carry_out(&mut self, command: &Command) -> Result<String, Refused> {
        if command.name == "cache" {
            return self.open(command);
        }
        if !self.is_open {
            return Err(Refused::new("not_open"));
        }
        if command.key.chars().count() > self.longest {
            return Err(Refused::new("key_too_long"));
        }
        if command.value.chars().count() > self.longest {
            return Err(Refused::new("value_too_long"));
        }
        if command.at < self.clock {
            return Err(Refused::new("time_backwards"));
        }
        let answer = self.operate(command)?;
        self.clock = command.at;
        Ok(answer)
    }

    fn operate(&mut self, command: &Command) -> Result<String, Refused> {
        match command.name.as_str() {
            "set" => self.set(command, Some(&command.value)),
            "absent" => self.set(command, None),
            "cas" => self.cas(command),
            "get" => Ok(self.get(command)),
            "touch" => self.touch(command),
            "delete" => self.delete(command),
            "invalidate" => Ok(self.invalidate(command)),
            "load" => self.load(command),
            "loaded" => self.loaded(command),
            "failed" => self.failed(command),
            "resize" => Ok(self.resize(command)),
            _ => Ok(self.stats(command)),
        }
    }

    fn open(&mut self, command: &Command) -> Result<String, Refused> {
        if self.is_open {
            return Err(Refused::new("already_open"));
        }
        self.is_open = true;
        self.store.capacity = command.bytes;
        self.longest = command.chars;
        Ok("ok".to_string())
    }

    fn set(&mut self, command: &Command, value: Option<&str>) -> Result<String, Refused> {
        self.refuse_too_large(command, value)?;
        Ok(self.write(command, value))
    }

    fn cas(&mut self, command: &Command) -> Result<String, Refused> {
        let version = self.store.live(&command.key, command.at).map_or(0, |entry| entry.version);
        if version != command.version {
            return Err(Refused::about("wrong_version", version));
        }
        self.set(command, Some(&command.value))
    }

    fn get(&mut self, command: &Command) -> String {
        self.bury(command);
        let busy = self.loads.under_way(&command.key, command.at).is_some();
        let refresh = if busy { "no" } else { "yes" };
        let (answer, counter) = match self.store.live(&command.key, command.at) {
            Some(entry) => answer_from(entry, command.at, refresh),
            None => (format!("miss {}", refresh), "misses"),
        };
        self.count(counter);
        answer
    }

    fn touch(&mut self, command: &Command) -> Result<String, Refused> {
        let entry = self.store.live(&command.key, command.at).ok_or_else(|| Refused::new("not_found"))?;
        if !entry.is_fresh(command.at) {
            return Err(Refused::new("not_fresh"));
        }
        entry.renew(command.at);
        entry.last_use = command.at;
        Ok(format!("ok {}", entry.fresh_until))
    }

    fn delete(&mut self, command: &Command) -> Result<String, Refused> {
        if self.store.live(&command.key, command.at).is_none() {
            return Err(Refused::new("not_found"));
        }
        self.store.entries.remove(&command.key);
        self.loads.overtake(&command.key);
        Ok("ok".to_string())
    }

    fn invalidate(&mut self, command: &Command) -> String {
        let tag = &command.tags[0];
        let tagged = |entry: &&Entry| entry.tags.contains(tag) && entry.is_live(command.at);
        let entries = self.store.entries.values();
        let keys: Vec<String> = entries.filter(tagged).map(|entry| entry.key.clone()).collect();
        for key in &keys {
            self.store.entries.remove(key);
            self.loads.overtake(key);
            self.removed(key, INVALIDATED);
        }
        self.loads.invalidate(tag);
        format!("ok {}", keys.len())
    }

    fn load(&mut self, command: &Command) -> Result<String, Refused> {
        let at = command.at;
        if self.store.live(&command.key, at).map_or(false, |entry| entry.is_fresh(at)) {
            return Err(Refused::new("fresh"));
        }
        if let Some(load) = self.loads.under_way(&command.key, at) {
            return Err(Refused::about("in_flight", load.ticket));
        }
        self.bury(command);
        Ok(format!("ok {}", self.loads.begin(&command.key, at + command.lease)))
    }

    fn loaded(&mut self, command: &Command) -> Result<String, Refused> {
        let superseded = self.find_load(command)?.is_superseded(&command.tags);
        self.refuse_too_large(command, Some(&command.value))?;
        self.loads.end(&command.key);
        if superseded {
            self.bury(command);
            return Ok("ok superseded".to_string());
        }
        Ok(self.write(command, Some(&command.value)))
    }

    fn failed(&mut self, command: &Command) -> Result<String, Refused> {
        self.find_load(command)?;
        self.bury(command);
        self.loads.end(&command.key);
        Ok("ok".to_string())
    }

    fn resize(&mut self, command: &Command) -> String {
        self.store.capacity = command.bytes;
        self.make_room(0, command.at);
        format!("ok {}", self.store.used())
    }

    fn stats(&self, command: &Command) -> String {
        let mut line = format!("ok entries={} bytes={}", self.store.entries.len(), self.store.used());
        for name in COUNTED {
            line += &format!(" {}={}", name, self.counts.get(name).copied().unwrap_or(0));
        }
        line + &format!(" loading={}", self.loads.count(command.at))
    }

    fn find_load(&self, command: &Command) -> Result<&Load, Refused> {
        let load = self.loads.under_way(&command.key, command.at);
        load.filter(|load| load.ticket == command.ticket).ok_or_else(|| Refused::new("unknown_load"))
    }

    fn refuse_too_large(&self, command: &Command, value: Option<&str>) -> Result<(), Refused> {
        if size_of(&command.key, value) > self.store.capacity {
            return Err(Refused::new("too_large"));
        }
        Ok(())
    }

    fn write(&mut self, command: &Command, value: Option<&str>) -> String {
        self.bury(command);
        self.store.entries.remove(&command.key);
        self.make_room(size_of(&command.key, value), command.at);
        self.version += 1;
        let entry = Entry {
            key: command.key.clone(),
            value: value.map(str::to_string),
            version: self.version,
            slides: command.slides,
            ttl: command.ttl,
            stale: command.stale,
            tags: command.tags.clone(),
            fresh_until: command.at + command.ttl,
            last_use: command.at,
        };
        self.store.entries.insert(command.key.clone(), entry);
        self.loads.overtake(&command.key);
        format!("ok {}", self.version)
    }

    fn make_room(&mut self, size: u64, at: u64) {
        for (key, cause) in self.store.make_room(size, at) {
            self.removed(&key, cause);
        }
    }

    /// Removes the entry of the command's key if it is dead.
    fn bury(&mut self, command: &Command) {
        let entry = self.store.entries.get(&command.key);
        if entry.map_or(false, |entry| !entry.is_live(command.at)) {
            self.store.entries.remove(&command.key);
            self.removed(&command.key, EXPIRED);
        }
    }

    fn removed(&mut self, key: &str, cause: &'static str) {
        self.count(cause);
        self.removals.push(format!("removed {} {}", key, cause));
    }

    fn count(&mut self, name: &'static str) {
        *self.counts.entry(name).or_insert(0) += 1;
    }
}

/// What a live entry answers to `get`, and the counter for it.
fn answer_from(entry: &mut Entry, at: u64, refresh: &str) -> (String, &'static str) {
    entry.last_use = at;
    if !entry.is_fresh(at) {
        let value = entry.value.as_deref().unwrap_or("");
        return (format!("stale {} {} {}", entry.version, refresh, value), "stale");
    }
    if entry.slides {
        entry.renew(at);
    }
    match &entry.value {
        Some(value) => (format!("hit {} {}", entry.version, value), "hits"),
        None => (format!("absent {}", entry.version), "absent"),
    }
}
