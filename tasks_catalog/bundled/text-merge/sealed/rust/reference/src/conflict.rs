//! How a conflict is written.

use crate::lines::key;
use crate::options::{Compare, Favour, Options, Style};

/// Lines of the three texts between two kept lines.
pub struct Region<'a> {
    pub base: &'a [String],
    pub mine: &'a [String],
    pub theirs: &'a [String],
}

/// Returns the lines that are written for a region in which both sides differ.
pub fn conflict(region: &Region, options: &Options, markers_end: &str) -> Vec<String> {
    let marker = |sign: &str, label: &str| {
        let label = if label.is_empty() { String::new() } else { format!(" {}", label) };
        vec![format!("{}{}{}", sign.repeat(options.size), label, markers_end)]
    };
    match (options.favour, options.style) {
        (Favour::Mine, _) => region.mine.to_vec(),
        (Favour::Theirs, _) => region.theirs.to_vec(),
        (Favour::Nobody, Style::Full) => [
            &marker("<", &options.mine)[..],
            region.mine,
            &marker("|", &options.base),
            region.base,
            &marker("=", ""),
            region.theirs,
            &marker(">", &options.theirs),
        ]
        .concat(),
        (Favour::Nobody, Style::Short) => {
            let (head, tail) = agreement(region.mine, region.theirs, options.compare);
            let last = region.mine.len() - tail;
            [
                &region.mine[..head],
                &marker("<", &options.mine),
                &region.mine[head..last],
                &marker("=", ""),
                &region.theirs[head..region.theirs.len() - tail],
                &marker(">", &options.theirs),
                &region.mine[last..],
            ]
            .concat()
        }
    }
}

/// Returns how many first lines agree, and then how many last ones of those that remain.
fn agreement(mine: &[String], theirs: &[String], compare: Compare) -> (usize, usize) {
    let agree = |pair: &(&String, &String)| key(pair.0, compare) == key(pair.1, compare);
    let head = mine.iter().zip(theirs).take_while(agree).count();
    let tail = mine[head..].iter().rev().zip(theirs[head..].iter().rev()).take_while(agree).count();
    (head, tail)
}
