// How a merge went.

/** Kept lines, and regions by what decided them. */
export class Counts {
  kept = 0;
  theirs = 0;
  mine = 0;
  same = 0;
  conflicts = 0;

  text() {
    const regions = `theirs=${this.theirs} mine=${this.mine} same=${this.same}`;
    return `kept=${this.kept} ${regions} conflicts=${this.conflicts}`;
  }
}
