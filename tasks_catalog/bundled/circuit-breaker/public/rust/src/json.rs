//! JSON values: read strictly as RFC 8259 says, written on one line.

use std::fmt;

/// One JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    /// Every number, whole or not; one beyond the range of `f64` is infinite, and is written as null.
    Number(f64),
    Text(String),
    List(Vec<Json>),
    /// The members as they were written; of several with one name, the last one counts.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// The member of an object with exactly this name; None if there is none or this is no object.
    pub fn get(&self, name: &str) -> Option<&Json> {
        match self {
            Json::Object(members) => members.iter().rev().find(|member| member.0 == name).map(|member| &member.1),
            _ => None,
        }
    }

    /// An object with these members.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Json {
        Json::Object(members.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Json {
        Json::Bool(value)
    }
}

impl From<i64> for Json {
    fn from(value: i64) -> Json {
        Json::Number(value as f64)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Json {
        Json::Text(value.to_string())
    }
}

/// None is null.
impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Json {
        value.map_or(Json::Null, Into::into)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Json::Null => out.write_str("null"),
            Json::Bool(value) => write!(out, "{}", value),
            Json::Number(value) if value.is_finite() => write!(out, "{}", value),
            Json::Number(_) => out.write_str("null"),
            Json::Text(text) => write_text(out, text),
            Json::List(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    out.write_str(if index == 0 { "[" } else { ", " })?;
                    write!(out, "{}", element)?;
                }
                out.write_str(if elements.is_empty() { "[]" } else { "]" })
            }
            Json::Object(members) => {
                for (index, (name, value)) in members.iter().enumerate() {
                    out.write_str(if index == 0 { "{" } else { ", " })?;
                    write_text(out, name)?;
                    write!(out, ": {}", value)?;
                }
                out.write_str(if members.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn write_text(out: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    out.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => out.write_str("\\\"")?,
            '\\' => out.write_str("\\\\")?,
            '\u{0}'..='\u{1f}' => write!(out, "\\u{:04x}", character as u32)?,
            _ => write!(out, "{}", character)?,
        }
    }
    out.write_str("\"")
}

/// The text is not one JSON value.
#[derive(Debug)]
pub struct NotJson;

/// Reads a text that is one JSON value, with or without white space around it.
pub fn parse(text: &str) -> Result<Json, NotJson> {
    let mut parser = Parser { text, position: 0, depth: 0 };
    let value = parser.value()?;
    parser.skip_space();
    if parser.position == text.len() {
        Ok(value)
    } else {
        Err(NotJson)
    }
}

/// Deeper nesting is refused, since every level takes some of the stack.
const DEEPEST: usize = 1000;

struct Parser<'a> {
    text: &'a str,
    position: usize,
    depth: usize,
}

impl Parser<'_> {
    fn value(&mut self) -> Result<Json, NotJson> {
        self.skip_space();
        match self.peek() {
            Some(b'{') => self.nested(Parser::object),
            Some(b'[') => self.nested(Parser::list),
            Some(b'"') => Ok(Json::Text(self.string()?)),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn nested(&mut self, read: fn(&mut Self) -> Result<Json, NotJson>) -> Result<Json, NotJson> {
        if self.depth == DEEPEST {
            return Err(NotJson);
        }
        self.depth += 1;
        self.position += 1;
        let value = read(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn object(&mut self) -> Result<Json, NotJson> {
        let mut members = Vec::new();
        self.skip_space();
        if self.take(b'}') {
            return Ok(Json::Object(members));
        }
        loop {
            self.skip_space();
            let name = self.string()?;
            self.skip_space();
            self.expect(b':')?;
            members.push((name, self.value()?));
            self.skip_space();
            if self.take(b'}') {
                return Ok(Json::Object(members));
            }
            self.expect(b',')?;
        }
    }

    fn list(&mut self) -> Result<Json, NotJson> {
        let mut elements = Vec::new();
        self.skip_space();
        if self.take(b']') {
            return Ok(Json::List(elements));
        }
        loop {
            elements.push(self.value()?);
            self.skip_space();
            if self.take(b']') {
                return Ok(Json::List(elements));
            }
            self.expect(b',')?;
        }
    }

    fn string(&mut self) -> Result<String, NotJson> {
        self.expect(b'"')?;
        let mut string = String::new();
        loop {
            let character = self.text[self.position..].chars().next().ok_or(NotJson)?;
            self.position += character.len_utf8();
            match character {
                '"' => return Ok(string),
                '\\' => string.push(self.escaped()?),
                '\u{0}'..='\u{1f}' => return Err(NotJson),
                _ => string.push(character),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, NotJson> {
        let letter = self.peek().ok_or(NotJson)?;
        self.position += 1;
        match letter {
            b'"' | b'\\' | b'/' => Ok(char::from(letter)),
            b'b' => Ok('\u{8}'),
            b'f' => Ok('\u{c}'),
            b'n' => Ok('\n'),
            b'r' => Ok('\r'),
            b't' => Ok('\t'),
            b'u' => self.unicode_escaped(),
            _ => Err(NotJson),
        }
    }

    /// A surrogate that is not one of a pair becomes U+FFFD: a `char` can't hold it.
    fn unicode_escaped(&mut self) -> Result<char, NotJson> {
        let unit = self.four_digits()?;
        let after = self.position;
        if (0xd800..0xdc00).contains(&unit) && self.text[after..].starts_with("\\u") {
            self.position += 2;
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((unit - 0xd800) << 10) + (second - 0xdc00);
                return char::from_u32(code).ok_or(NotJson);
            }
            self.position = after;
        }
        Ok(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn four_digits(&mut self) -> Result<u32, NotJson> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or(NotJson)?;
            unit = unit * 16 + digit;
            self.position += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<Json, NotJson> {
        let start = self.position;
        self.take(b'-');
        if !self.take(b'0') {
            self.digits()?;
        }
        if self.take(b'.') {
            self.digits()?;
        }
        if self.take(b'e') || self.take(b'E') {
            if !self.take(b'+') {
                self.take(b'-');
            }
            self.digits()?;
        }
        self.text[start..self.position].parse().map(Json::Number).map_err(|_| NotJson)
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), NotJson> {
        let start = self.position;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.position += 1;
        }
        if self.position > start {
            Ok(())
        } else {
            Err(NotJson)
        }
    }

    fn word(&mut self) -> Result<Json, NotJson> {
        for (word, value) in [("null", Json::Null), ("true", Json::Bool(true)), ("false", Json::Bool(false))] {
            if self.text[self.position..].starts_with(word) {
                self.position += word.len();
                return Ok(value);
            }
        }
        Err(NotJson)
    }

    fn skip_space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.position += 1;
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), NotJson> {
        if self.take(byte) {
            Ok(())
        } else {
            Err(NotJson)
        }
    }

    fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.position += 1;
        }
        found
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.position).copied()
    }
}
