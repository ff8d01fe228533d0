// The three-way merge.

import { type Region, conflict } from "./conflict";
import { Counts } from "./counts";
import { type Text, endingOfMarkers, equal, key, withEndings } from "./lines";
import { partners } from "./matching";
import { type Options } from "./options";
import { type Block } from "./reader";

/** Where a kept line is in the three texts. */
interface Place {
  readonly base: number;
  readonly mine: number;
  readonly theirs: number;
}

/** Returns the lines of the result and the counts. */
export function merged(block: Block): { lines: string[]; counts: Counts } {
  const markersEnd = endingOfMarkers(block.mine, block.theirs);
  const counts = new Counts();
  const lines: string[] = [];
  let from: Place = { base: 0, mine: 0, theirs: 0 };
  const end: Place = { base: block.base.length, mine: block.mine.length, theirs: block.theirs.length };
  for (const to of [...kept(block), end]) {
    const region: Region = {
      base: block.base.slice(from.base, to.base),
      mine: block.mine.slice(from.mine, to.mine),
      theirs: block.theirs.slice(from.theirs, to.theirs),
    };
    if (region.base.length + region.mine.length + region.theirs.length > 0) {
      lines.push(...decided(region, block.options, markersEnd, counts));
    }
    if (to !== end) {
      lines.push(keptLine(block, to));
      counts.kept += 1;
    }
    from = { base: to.base + 1, mine: to.mine + 1, theirs: to.theirs + 1 };
  }
  return { lines: withEndings(lines, markersEnd), counts };
}

/** Returns the places of each kept line in the three texts. */
function kept(block: Block): Place[] {
  const keys = (text: Text): string[] => text.map((line) => key(line, block.options.compare));
  const inMine = partners(keys(block.base), keys(block.mine));
  const inTheirs = partners(keys(block.base), keys(block.theirs));
  const places: Place[] = [];
  for (let base = 0; base < block.base.length; base += 1) {
    const mine = inMine[base] ?? null;
    const theirs = inTheirs[base] ?? null;
    if (mine !== null && theirs !== null) {
      places.push({ base, mine, theirs });
    }
  }
  return places;
}

function keptLine(block: Block, place: Place): string {
  const mine = block.mine[place.mine] ?? "";
  const theirs = block.theirs[place.theirs] ?? "";
  return mine !== block.base[place.base] ? mine : theirs;
}

function decided(region: Region, options: Options, markersEnd: string, counts: Counts): Text {
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
