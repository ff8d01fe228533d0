//! The three-way merge.

use crate::counts::Counts;
use crate::reader::Block;

/// Returns the lines of the result and the counts.
pub fn merged(block: &Block) -> (Vec<String>, Counts) {
    let (base, mine, theirs) = (&block.base[..], &block.mine[..], &block.theirs[..]);
    let shortest = base.len().min(mine.len()).min(theirs.len());
    let head = (0..shortest).take_while(|i| mine[*i] == base[*i] && theirs[*i] == base[*i]).count();
    let from_end = |text: &[String], distance: usize| text[text.len() - 1 - distance].clone();
    let tail = (0..shortest - head)
        .take_while(|i| from_end(mine, *i) == from_end(base, *i) && from_end(theirs, *i) == from_end(base, *i))
        .count();
    let middle = |text: &[String]| text[head..text.len() - tail].to_vec();
    let mut counts = Counts { kept: head + tail, ..Counts::default() };
    let mut lines = base[..head].to_vec();
    lines.extend(decided(middle(base), middle(mine), middle(theirs), &mut counts));
    lines.extend_from_slice(&base[base.len() - tail..]);
    (lines, counts)
}

fn decided(
    base: Vec<String>,
    mine: Vec<String>,
    theirs: Vec<String>,
    counts: &mut Counts,
) -> Vec<String> {
    if base.is_empty() && mine.is_empty() && theirs.is_empty() {
        return Vec::new();
    }
    if mine == base {
        counts.theirs += 1;
        return theirs;
    }
    if theirs == base {
        counts.mine += 1;
        return mine;
    }
    if mine == theirs {
        counts.same += 1;
        return mine;
    }
    counts.conflicts += 1;
    let mut lines = vec!["<<<<<<< mine\n".to_string()];
    lines.extend(mine);
    lines.push("=======\n".to_string());
    lines.extend(theirs);
    lines.push(">>>>>>> theirs\n".to_string());
    lines
}
