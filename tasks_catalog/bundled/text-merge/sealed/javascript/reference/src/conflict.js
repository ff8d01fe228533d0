// How a conflict is written.

import { agreeing } from "./lines.js";

/** Returns the lines that are written for a region in which both sides differ. */
export function conflict(region, options, markersEnd) {
  const marker = (sign, label) =>
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

/** Returns the first lines that agree, what remains of both sides, and the last lines that agree. */
function withoutAgreement({ mine, theirs }, compare) {
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
