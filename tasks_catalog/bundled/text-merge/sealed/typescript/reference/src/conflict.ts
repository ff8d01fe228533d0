// How a conflict is written.

import { type Text, agreeing } from "./lines";
import { type Compare, type Options } from "./options";

/** Lines of the three texts between two kept lines. */
export interface Region {
  readonly base: Text;
  readonly mine: Text;
  readonly theirs: Text;
}

/** The first lines that agree, what remains of both sides, and the last lines that agree. */
interface Agreement {
  readonly before: Text;
  readonly mine: Text;
  readonly theirs: Text;
  readonly after: Text;
}

/** Returns the lines that are written for a region in which both sides differ. */
export function conflict(region: Region, options: Options, markersEnd: string): Text {
  const marker = (sign: string, label: string): string =>
    sign.repeat(options.size) + (label === "" ? "" : ` ${label}`) + markersEnd;
  if (options.favour === "mine") {
    return region.mine;
  }
  if (options.favour === "theirs") {
    return region.theirs;
  }
  if (options.style === "full") {
    return [
      marker("<", options.mine),
      ...region.mine,
      marker("|", options.base),
      ...region.base,
      marker("=", ""),
      ...region.theirs,
      marker(">", options.theirs),
    ];
  }
  const { before, mine, theirs, after } = withoutAgreement(region, options.compare);
  return [
    ...before,
    marker("<", options.mine),
    ...mine,
    marker("=", ""),
    ...theirs,
    marker(">", options.theirs),
    ...after,
  ];
}

function withoutAgreement({ mine, theirs }: Region, compare: Compare): Agreement {
  const head = agreeing(mine, theirs, compare);
  const tail = agreeing(mine.slice(head).reverse(), theirs.slice(head).reverse(), compare);
  const last = mine.length - tail;
  return {
    before: mine.slice(0, head),
    mine: mine.slice(head, last),
    theirs: theirs.slice(head, theirs.length - tail),
    after: mine.slice(last),
  };
}
