// The three-way merge.

import { conflict } from "./conflict.js";
import { Counts } from "./counts.js";
import { endingOfMarkers, equal, key, withEndings } from "./lines.js";
import { partners } from "./matching.js";

/** Returns the lines of the result and the counts. */
export function merged(block) {
  const markersEnd = endingOfMarkers(block.mine, block.theirs);
  const counts = new Counts();
  const lines = [];
  let from = { base: 0, mine: 0, theirs: 0 };
  const end = { base: block.base.length, mine: block.mine.length, theirs: block.theirs.length };
  for (const to of [...kept(block), end]) {
    const region = {
      base: block.base.slice(from.base, to.base),
      mine: block.mine.slice(from.mine, to.mine),
      theirs: block.theirs.slice(from.theirs, to.theirs),
    };
    if (region.base.length + region.mine.length + region.theirs.length > 0) {
      lines.push(...decided(region, block.options, markersEnd, counts));
    }
    if (to !== end) {
      lines.push(keptLine(block.base[to.base], block.mine[to.mine], block.theirs[to.theirs]));
      counts.kept += 1;
    }
    from = { base: to.base + 1, mine: to.mine + 1, theirs: to.theirs + 1 };
  }
  return { lines: withEndings(lines, markersEnd), counts };
}

/** Returns the places of each kept line in the three texts. */
function kept(block) {
  const [base, mine, theirs] = [block.base, block.mine, block.theirs].map((text) =>
    text.map((line) => key(line, block.options.compare)),
  );
  const inMine = partners(base, mine);
  const inTheirs = partners(base, theirs);
  return base
    .map((_, index) => ({ base: index, mine: inMine[index], theirs: inTheirs[index] }))
    .filter((place) => place.mine !== null && place.theirs !== null);
}

function keptLine(base, mine, theirs) {
  return mine !== base ? mine : theirs;
}

function decided(region, options, markersEnd, counts) {
  if (equal(region.mine, region.base, options.compare)) {
    counts.theirs += 1;
    return region.theirs;
  }
  if (equal(region.theirs, region.base, options.compare)) {
    counts.mine += 1;
    return region.mine;
  }
  if (equal(region.mine, region.theirs, options.compare)) {
    counts.same += 1;
    return region.mine;
  }
  counts.conflicts += 1;
  return conflict(region, options, markersEnd);
}
