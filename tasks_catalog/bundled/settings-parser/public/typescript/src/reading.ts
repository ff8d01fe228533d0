// Reads a document line by line.

import type { Document, Setting } from "./document";
import { readWord } from "./words";
import type { WrongWord } from "./wrong_word";

/** Returns the document with all settings, or with the first error. */
export function read(text: string): Document {
  const settings: Setting[] = [];
  let section = "";
  for (const [index, line] of text.split("\n").entries()) {
    const statement = trimmed(line);
    if (statement === "" || statement.startsWith("#")) {
      continue;
    }
    if (statement.startsWith("[")) {
      if (!statement.endsWith("]") || !isKey(statement.slice(1, -1))) {
        return failed(index, 1, "syntax");
      }
      section = `${statement.slice(1, -1)}.`;
      continue;
    }
    const equals = line.indexOf("=");
    const key = trimmed(line.slice(0, Math.max(equals, 0)));
    if (!isKey(key)) {
      return failed(index, 1, "syntax");
    }
    const rest = line.slice(equals + 1);
    const value = readValue(trimmed(rest));
    if (typeof value !== "string") {
      const before = line.length - rest.replace(/^[ \t]+/, "").length;
      return failed(index, Array.from(line.slice(0, before)).length + 1 + value.offset, value.kind);
    }
    settings.push({ path: section + key, value });
  }
  return { settings, errors: [] };
}

function failed(index: number, column: number, kind: string): Document {
  return { settings: [], errors: [{ line: index + 1, column, kind }] };
}

function trimmed(text: string): string {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}

function isKey(text: string): boolean {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

/** Returns the value as it is printed, or the mistake. */
function readValue(value: string): string | WrongWord {
  if (value.length >= 2 && value.startsWith('"') && value.endsWith('"')) {
    if (value.slice(1, -1).includes('"') || value.includes("\\")) {
      return { kind: "syntax", offset: 0 };
    }
    return value;
  }
  return readWord(value);
}
