// The values of settings while references are not followed yet.

/** The keys of a section or setting. */
export type Path = readonly string[];

/** `unknown` is a value with an error in it, `single` one that is neither a list nor a reference, as it is printed. */
export type Value =
  | { readonly type: "unknown" }
  | { readonly type: "single"; readonly printed: string }
  | { readonly type: "list"; readonly elements: readonly Value[] }
  | Reference;

export interface Reference {
  readonly type: "reference";
  readonly path: Path;
  readonly start: number;
}

/** What stands behind one operator of a setting: a value and where it starts. */
export interface Part {
  readonly value: Value;
  readonly start: number;
}

export const UNKNOWN: Value = { type: "unknown" };

/** Returns all references in a value, also in the lists in it. */
export function referencesIn(value: Value): Reference[] {
  if (value.type === "reference") {
    return [value];
  }
  return value.type === "list" ? value.elements.flatMap(referencesIn) : [];
}
