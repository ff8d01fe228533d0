// The values of settings while references are not followed yet. A part of a setting is `value` and its `start`.

/** A value with an error in it. */
export class Unknown {}

/** A value that is neither a list nor a reference, as it is printed. */
export class Single {
  constructor(printed) {
    this.printed = printed;
  }
}

export class List {
  constructor(elements) {
    this.elements = elements;
  }
}

/** `path` is a list of keys. */
export class Reference {
  constructor(path, start) {
    this.path = path;
    this.start = start;
  }
}

/** Returns all references in a value, also in the lists in it. */
export function referencesIn(value) {
  if (value instanceof Reference) {
    return [value];
  }
  return value instanceof List ? value.elements.flatMap(referencesIn) : [];
}
