// A word that is no value.

/** `offset` is the place of the mistake in the word, from 0. */
export interface WrongWord {
  readonly kind: string;
  readonly offset: number;
}
