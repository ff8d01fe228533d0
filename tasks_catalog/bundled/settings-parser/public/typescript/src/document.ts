// What was read from a document.

/** A path and a value as they are printed. */
export interface Setting {
  readonly path: string;
  readonly value: string;
}

/** Lines and columns count from 1. */
export interface Mistake {
  readonly line: number;
  readonly column: number;
  readonly kind: string;
}

export interface Document {
  readonly settings: readonly Setting[];
  readonly errors: readonly Mistake[];
}
