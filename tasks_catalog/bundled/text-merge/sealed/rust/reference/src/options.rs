//! How one merge is done.

use std::collections::HashSet;

use crate::refusal::Refused;

const LARGEST_SIZE: usize = 40;

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Compare {
    Exact,
    Ends,
    Trailing,
    All,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    Short,
    Full,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Favour {
    Nobody,
    Mine,
    Theirs,
}

/// The option words of a header; the last three are labels.
pub struct Options {
    pub compare: Compare,
    pub style: Style,
    pub size: usize,
    pub favour: Favour,
    pub mine: String,
    pub base: String,
    pub theirs: String,
}

impl Options {
    pub fn read(words: &[&str]) -> Result<Options, Refused> {
        let mut options = Options::default();
        let mut keys = HashSet::new();
        for word in words {
            let (key, value) = word.split_once('=').ok_or(Refused("bad_option"))?;
            options.set(key, value).ok_or(Refused("bad_option"))?;
            keys.insert(key);
        }
        if keys.len() < words.len() {
            return Err(Refused("repeated_option"));
        }
        Ok(options)
    }

    /// Returns None if there is no such option, or not with such a value.
    fn set(&mut self, key: &str, value: &str) -> Option<()> {
        match key {
            "compare" => self.compare = compare(value)?,
            "style" => self.style = style(value)?,
            "favour" => self.favour = favour(value)?,
            "size" => self.size = read_number(value, LARGEST_SIZE).filter(|size| *size > 0)?,
            "mine" => self.mine = value.to_string(),
            "base" => self.base = value.to_string(),
            "theirs" => self.theirs = value.to_string(),
            _ => return None,
        }
        Some(())
    }
}

impl Default for Options {
    fn default() -> Options {
        Options {
            compare: Compare::Exact,
            style: Style::Short,
            size: 7,
            favour: Favour::Nobody,
            mine: "mine".to_string(),
            base: "base".to_string(),
            theirs: "theirs".to_string(),
        }
    }
}

fn compare(value: &str) -> Option<Compare> {
    match value {
        "exact" => Some(Compare::Exact),
        "ends" => Some(Compare::Ends),
        "trailing" => Some(Compare::Trailing),
        "all" => Some(Compare::All),
        _ => None,
    }
}

fn style(value: &str) -> Option<Style> {
    match value {
        "short" => Some(Style::Short),
        "full" => Some(Style::Full),
        _ => None,
    }
}

fn favour(value: &str) -> Option<Favour> {
    match value {
        "none" => Some(Favour::Nobody),
        "mine" => Some(Favour::Mine),
        "theirs" => Some(Favour::Theirs),
        _ => None,
    }
}

/// Returns a number up to `most`, or None.
pub fn read_number(word: &str, most: usize) -> Option<usize> {
    let leading_zero = word.len() > 1 && word.starts_with('0');
    if leading_zero || !word.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    word.parse().ok().filter(|number| *number <= most)
}
