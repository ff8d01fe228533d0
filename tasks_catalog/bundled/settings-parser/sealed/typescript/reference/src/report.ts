// Writes down what was read.

import type { Document, Mistake } from "./document";

const MOST_ERRORS = 10;

export function report(name: string, document: Document): string {
  const { settings, errors } = document;
  const lines: string[] = [];
  if (errors.length > 0) {
    lines.push(`document ${name} failed ${errors.length}`);
    for (const { line, column, kind } of [...errors].sort(comparePlaces).slice(0, MOST_ERRORS)) {
      lines.push(`${line}:${column} ${kind}`);
    }
    if (errors.length > MOST_ERRORS) {
      lines.push(`and ${errors.length - MOST_ERRORS} more`);
    }
  } else {
    lines.push(`document ${name} ok ${settings.length}`);
    for (const { path, value } of settings) {
      lines.push(`${path} = ${value}`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}

function comparePlaces(one: Mistake, other: Mistake): number {
  return one.line - other.line || one.column - other.column;
}
