// Writes down what was read.

import type { Document } from "./document";

export function report(name: string, document: Document): string {
  const { settings, errors } = document;
  const lines: string[] = [];
  if (errors.length > 0) {
    lines.push(`document ${name} failed ${errors.length}`);
    for (const { line, column, kind } of errors) {
      lines.push(`${line}:${column} ${kind}`);
    }
  } else {
    lines.push(`document ${name} ok ${settings.length}`);
    for (const { path, value } of settings) {
      lines.push(`${path} = ${value}`);
    }
  }
  return lines.map((line) => `${line}\n`).join("");
}
