// Reads a document line by line.

import { readWord } from "./words.js";

/** Returns the document with all settings, or with the first error. */
export function read(text) {
  const settings = [];
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
    const { printed, kind, offset } = readValue(trimmed(rest));
    if (kind !== undefined) {
      const before = line.length - rest.replace(/^[ \t]+/, "").length;
      return failed(index, Array.from(line.slice(0, before)).length + 1 + offset, kind);
    }
    settings.push({ path: section + key, value: printed });
  }
  return { settings, errors: [] };
}

function failed(index, column, kind) {
  return { settings: [], errors: [{ line: index + 1, column, kind }] };
}

function trimmed(text) {
  return text.replace(/^[ \t]+|[ \t]+$/g, "");
}

function isKey(text) {
  return /^[A-Za-z0-9_-]+$/.test(text);
}

/** Returns `printed`, the value as it is printed, or `kind` and `offset` of the mistake. */
function readValue(value) {
  if (value.length >= 2 && value.startsWith('"') && value.endsWith('"')) {
    if (value.slice(1, -1).includes('"') || value.includes("\\")) {
      return { kind: "syntax", offset: 0 };
    }
    return { printed: value };
  }
  return readWord(value);
}
