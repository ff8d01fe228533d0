/** Loads specs as bundlers do: suffixes may be left out, and the text tells the kind of module. */
import { readFile } from "node:fs/promises";
import { fileURLToPath, pathToFileURL } from "node:url";

const GLOBALS = new URL("./spec_runner.mjs", import.meta.url).href;
const SUFFIXES = [".js", ".mjs", ".cjs", "/index.js"];
const IS_MODULE = /^\s*(?:import\b(?!\s*\()|export\b)/m;

let root = "";

export function initialize({ folder }) {
  root = `${pathToFileURL(folder).href}/`;
}

export async function resolve(specifier, context, next) {
  if (specifier === "@jest/globals") {
    return { url: GLOBALS, shortCircuit: true };
  }
  try {
    return await next(specifier, context);
  } catch (error) {
    const found = /^\.{1,2}\//.test(specifier) && (await completed(specifier, context, next));
    if (!found) {
      throw error;
    }
    return found;
  }
}

async function completed(specifier, context, next) {
  for (const suffix of SUFFIXES) {
    try {
      return await next(specifier + suffix, context);
    } catch {
      // the next one
    }
  }
  return undefined;
}

export async function load(url, context, next) {
  if (!url.startsWith(root) || !url.endsWith(".js")) {
    return next(url, context);
  }
  const source = await readFile(fileURLToPath(url), "utf8");
  if (IS_MODULE.test(source)) {
    return { format: "module", source, shortCircuit: true };
  }
  return next(url, { ...context, format: "commonjs" });
}
