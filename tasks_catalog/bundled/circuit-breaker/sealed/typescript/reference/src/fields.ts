// The fields of one request, each read in its type and range.

import { Refused } from "./refusal";

const LARGEST = 1_000_000_000_000;

export interface Range {
  readonly least: number;
  readonly most: number;
}

export const COUNT: Range = { least: 1, most: LARGEST };
export const INSTANT: Range = { least: 0, most: LARGEST };
export const STATUS: Range = { least: 100, most: 599 };

/**
 * Reads fields by name. What is wrong is collected while reading, so that `verify` can report
 * the gravest of all fields: one that is absent before one of the wrong type before one out of
 * range.
 */
export class Fields {
  private absent = false;
  private mistyped = false;
  private outOfRange = false;

  constructor(private readonly values: ReadonlyMap<string, unknown>) {}

  name(field: string): string {
    const value = this.present(field);
    if (typeof value !== "string") {
      this.mistyped = true;
      return "";
    }
    this.outOfRange ||= value === "";
    return value;
  }

  integer(field: string, allowed: Range): number {
    return this.whole(this.present(field), allowed);
  }

  integerOr(otherwise: number, field: string, allowed: Range): number {
    return this.values.has(field) ? this.integer(field, allowed) : otherwise;
  }

  integers(field: string, allowed: Range): ReadonlySet<number> {
    const list = this.present(field);
    if (!Array.isArray(list)) {
      this.mistyped = true;
      return new Set();
    }
    return new Set(list.map((element: unknown) => this.whole(element, allowed)));
  }

  verify(): void {
    if (this.absent) {
      throw new Refused("missing_field");
    }
    if (this.mistyped) {
      throw new Refused("wrong_type");
    }
    if (this.outOfRange) {
      throw new Refused("out_of_range");
    }
  }

  private present(field: string): unknown {
    this.absent ||= !this.values.has(field);
    return this.values.get(field);
  }

  private whole(value: unknown, allowed: Range): number {
    if (typeof value !== "number" || !Number.isInteger(value)) {
      this.mistyped = true;
      return allowed.least;
    }
    this.outOfRange ||= value < allowed.least || value > allowed.most;
    return value;
  }
}
