//! The three-way merge.

use crate::conflict::{conflict, Region};
use crate::counts::Counts;
use crate::lines::{complete, ending_of_markers, equal, keys};
use crate::matching::partners;
use crate::options::Options;
use crate::reader::Block;

/// Where a kept line is in the three texts.
#[derive(Clone, Copy)]
struct Place {
    base: usize,
    mine: usize,
    theirs: usize,
}

/// Returns the lines of the result and the counts.
pub fn merged(block: &Block) -> (Vec<String>, Counts) {
    let markers_end = ending_of_markers(&block.mine, &block.theirs);
    let mut counts = Counts::default();
    let mut lines = Vec::new();
    let mut from = Place { base: 0, mine: 0, theirs: 0 };
    let end = Place { base: block.base.len(), mine: block.mine.len(), theirs: block.theirs.len() };
    for to in kept(block).into_iter().chain([end]) {
        let region = Region {
            base: &block.base[from.base..to.base],
            mine: &block.mine[from.mine..to.mine],
            theirs: &block.theirs[from.theirs..to.theirs],
        };
        if region.base.len() + region.mine.len() + region.theirs.len() > 0 {
            lines.extend(decided(&region, &block.options, markers_end, &mut counts));
        }
        if to.base < block.base.len() {
            lines.push(kept_line(block, to).to_string());
            counts.kept += 1;
        }
        from = Place { base: to.base + 1, mine: to.mine + 1, theirs: to.theirs + 1 };
    }
    complete(&mut lines, markers_end);
    (lines, counts)
}

fn kept(block: &Block) -> Vec<Place> {
    let compare = block.options.compare;
    let base = keys(&block.base, compare);
    let in_mine = partners(&base, &keys(&block.mine, compare));
    let in_theirs = partners(&base, &keys(&block.theirs, compare));
    in_mine
        .into_iter()
        .zip(in_theirs)
        .enumerate()
        .filter_map(|(base, (mine, theirs))| Some(Place { base, mine: mine?, theirs: theirs? }))
        .collect()
}

fn kept_line(block: &Block, place: Place) -> &str {
    let mine = &block.mine[place.mine];
    if *mine != block.base[place.base] {
        mine
    } else {
        &block.theirs[place.theirs]
    }
}

fn decided(region: &Region, options: &Options, markers_end: &str, counts: &mut Counts) -> Vec<String> {
    if equal(region.mine, region.base, options.compare) {
        counts.theirs += 1;
        return region.theirs.to_vec();
    }
    if equal(region.theirs, region.base, options.compare) {
        counts.mine += 1;
        return region.mine.to_vec();
    }
    if equal(region.mine, region.theirs, options.compare) {
        counts.same += 1;
        return region.mine.to_vec();
    }
    counts.conflicts += 1;
    conflict(region, options, markers_end)
}
