//! From a line to a command whose fields are all in their form and range.

use crate::outcome::Denied::{self, Refused};

const LONGEST_NAME: usize = 20;
const LONGEST_NUMBER: usize = 15;
const LATEST: i64 = 999_999_999_999;
pub const LARGEST: i64 = 999_999_999_999_999;

/// What a field may hold.
#[derive(Debug, Clone, Copy)]
enum Kind {
    Name,
    Number { smallest: i64, largest: i64 },
}

const NAME: Kind = Kind::Name;
const INSTANT: Kind = Kind::Number { smallest: 0, largest: LATEST };
const OVERDRAFT: Kind = Kind::Number { smallest: 0, largest: LARGEST };
const AMOUNT: Kind = Kind::Number { smallest: 1, largest: LARGEST };
const POSTING: [Kind; 3] = [NAME, NAME, AMOUNT];

#[derive(Debug, Clone)]
pub struct Posting {
    pub payer: String,
    pub payee: String,
    pub amount: i64,
}

/// What a keyed command wants to be done.
#[derive(Debug)]
pub enum Action<'a> {
    Post(Vec<Posting>),
    Hold { account: &'a str, amount: i64, until: i64 },
    Capture { hold: &'a str, payee: &'a str, amount: i64 },
    Release { hold: &'a str },
    Reverse { transaction: &'a str },
}

/// A keyed command; `content` is what a repeat has in common with the first one.
#[derive(Debug)]
pub struct Keyed<'a> {
    pub at: i64,
    pub client: &'a str,
    pub key: &'a str,
    pub content: String,
    pub action: Action<'a>,
}

#[derive(Debug)]
pub enum Request<'a> {
    Account { account: &'a str, currency: &'a str, overdraft: i64 },
    Balance { at: i64, account: &'a str },
    Statement { start: i64, end: i64, account: &'a str },
    Keyed(Keyed<'a>),
}

/// Returns the request that a line is, or refuses it.
pub fn parse(line: &str) -> Result<Request<'_>, Denied> {
    let words: Vec<&str> = line.split(' ').collect();
    let command = words[0];
    let kinds = kinds_of(command, words.len() - 1).ok_or(Refused("unknown_command"))?;
    if words.len() - 1 != kinds.len() {
        return Err(Refused("wrong_fields"));
    }
    let numbers = read(&kinds, &words[1..])?;
    // the numbers are those of the words behind the command word
    let number = |place: usize| numbers[place - 1];
    let request = match command {
        "account" => Request::Account { account: words[1], currency: words[2], overdraft: number(3) },
        "balance" => Request::Balance { at: number(1), account: words[2] },
        "statement" if number(1) > number(2) => return Err(Refused("out_of_range")),
        "statement" => Request::Statement { start: number(1), end: number(2), account: words[3] },
        _ => Request::Keyed(Keyed {
            at: number(1),
            client: words[2],
            key: words[3],
            content: format!("{} {}", command, words[2..].join(" ")),
            action: match command {
                "post" => Action::Post(postings(&words, &numbers)),
                "hold" => Action::Hold { account: words[4], amount: number(5), until: number(6) },
                "capture" => Action::Capture { hold: words[4], payee: words[5], amount: number(6) },
                "release" => Action::Release { hold: words[4] },
                _ => Action::Reverse { transaction: words[4] },
            },
        }),
    };
    Ok(request)
}

/// Returns what the fields of a command hold; a `post` has as many postings as there are words for,
/// but one at least.
fn kinds_of(command: &str, words: usize) -> Option<Vec<Kind>> {
    let keyed = |more: &[Kind]| [&[INSTANT, NAME, NAME], more].concat();
    Some(match command {
        "account" => vec![NAME, NAME, OVERDRAFT],
        "post" => {
            let count = words.saturating_sub(POSTING.len()) / POSTING.len();
            keyed(&POSTING.repeat(count.max(1)))
        }
        "hold" => keyed(&[NAME, AMOUNT, INSTANT]),
        "capture" => keyed(&[NAME, NAME, AMOUNT]),
        "release" | "reverse" => keyed(&[NAME]),
        "balance" => vec![INSTANT, NAME],
        "statement" => vec![INSTANT, INSTANT, NAME],
        _ => return None,
    })
}

/// Returns the values of the numbers, and 0 in the places of names.
fn read(kinds: &[Kind], words: &[&str]) -> Result<Vec<i64>, Denied> {
    let given = || kinds.iter().zip(words);
    if !given().all(|(kind, word)| matches!(kind, Kind::Number { .. }) || is_name(word)) {
        return Err(Refused("bad_name"));
    }
    if !given().all(|(kind, word)| matches!(kind, Kind::Name) || is_number(word)) {
        return Err(Refused("bad_number"));
    }
    given().map(|(kind, word)| value(*kind, word)).collect()
}

fn value(kind: Kind, word: &str) -> Result<i64, Denied> {
    let (smallest, largest) = match kind {
        Kind::Name => return Ok(0),
        Kind::Number { smallest, largest } => (smallest, largest),
    };
    let known = if word.len() > LONGEST_NUMBER { None } else { word.parse().ok() };
    match known {
        Some(number) if smallest <= number && number <= largest => Ok(number),
        _ => Err(Refused("out_of_range")),
    }
}

fn is_name(word: &str) -> bool {
    let length = word.chars().count();
    1 <= length && length <= LONGEST_NAME
}

fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit()) && (word == "0" || !word.starts_with('0'))
}

fn postings(words: &[&str], numbers: &[i64]) -> Vec<Posting> {
    (4..words.len())
        .step_by(POSTING.len())
        .map(|i| Posting { payer: words[i].to_string(), payee: words[i + 1].to_string(), amount: numbers[i + 1] })
        .collect()
}
