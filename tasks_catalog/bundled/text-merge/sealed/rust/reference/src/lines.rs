//! Lines with their endings, and when they are equal.

use crate::options::Compare;

/// Returns the ending of a line: empty for one that is unfinished.
pub fn ending(line: &str) -> &'static str {
    if line.ends_with("\r\n") {
        "\r\n"
    } else if line.ends_with('\n') {
        "\n"
    } else {
        ""
    }
}

/// Returns what is compared: two lines are equal if their keys are.
pub fn key(line: &str, compare: Compare) -> String {
    let text = &line[..line.len() - ending(line).len()];
    match compare {
        Compare::Exact => line.to_string(),
        Compare::Ends => text.to_string(),
        Compare::Trailing => text.trim_end_matches(&[' ', '\t'][..]).to_string(),
        Compare::All => text.replace(&[' ', '\t'][..], ""),
    }
}

pub fn keys(text: &[String], compare: Compare) -> Vec<String> {
    text.iter().map(|line| key(line, compare)).collect()
}

pub fn equal(one: &[String], other: &[String], compare: Compare) -> bool {
    keys(one, compare) == keys(other, compare)
}

pub fn ending_of_markers(mine: &[String], theirs: &[String]) -> &'static str {
    [mine, theirs]
        .iter()
        .filter_map(|text| text.first())
        .map(|line| ending(line))
        .find(|end| !end.is_empty())
        .unwrap_or("\n")
}

/// Gives the missing ending to lines before the last that have none.
pub fn complete(lines: &mut [String], missing: &str) {
    let last = lines.len().saturating_sub(1);
    for line in &mut lines[..last] {
        if ending(line).is_empty() {
            line.push_str(missing);
        }
    }
}
