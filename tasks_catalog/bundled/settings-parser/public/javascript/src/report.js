// Writes down what was read.

/** A document has `settings` (path and printed value) and `errors` (line, column and kind). */
export function report(name, document) {
  const { settings, errors } = document;
  const lines = [];
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
