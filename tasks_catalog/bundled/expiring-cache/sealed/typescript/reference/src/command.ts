// Takes a line apart into a command.

import { Refused } from "./refusal";

type NumberField = "at" | "bytes" | "chars" | "ttl" | "stale" | "version" | "lease" | "ticket";
type Field = NumberField | "key" | "mode" | "tags" | "tag" | "value";

const WRITING: readonly Field[] = ["mode", "ttl", "stale", "tags", "value"];
const LAYOUTS = new Map<string, readonly Field[]>([
  ["cache", ["bytes", "chars"]],
  ["set", ["at", "key", ...WRITING]],
  ["absent", ["at", "key", "ttl"]],
  ["cas", ["at", "key", "version", ...WRITING]],
  ["get", ["at", "key"]],
  ["touch", ["at", "key"]],
  ["delete", ["at", "key"]],
  ["invalidate", ["at", "tag"]],
  ["load", ["at", "key", "lease"]],
  ["loaded", ["at", "key", "ticket", ...WRITING]],
  ["failed", ["at", "key", "ticket"]],
  ["resize", ["at", "bytes"]],
  ["stats", ["at"]],
]);

const LARGEST = 1_000_000_000_000;

const NUMBER = /^(?:0|[1-9][0-9]{0,12})$/;
const TAG = /^[a-z0-9]{1,10}$/;

/** The fields of one line; those that the command lacks are empty. */
export class Command {
  at = 0;
  bytes = 0;
  chars = 0;
  key = "";
  slides = false;
  ttl = 0;
  stale = 0;
  tags: readonly string[] = [];
  value = "";
  version = 0;
  lease = 0;
  ticket = 0;

  constructor(readonly name: string) {}
}

/** The command on a well-formed line; throws Refused for any other. */
export function parse(line: string): Command {
  if (line === "") {
    throw new Refused("empty_line");
  }
  const [name = "", ...fields] = line.split(" ");
  const layout = LAYOUTS.get(name);
  if (layout === undefined) {
    throw new Refused("unknown_command");
  }
  if (layout.at(-1) === "value" && fields.length > layout.length) {
    fields.push(fields.splice(layout.length - 1).join(" "));
  }
  if (fields.length !== layout.length) {
    throw new Refused("wrong_fields");
  }
  const command = new Command(name);
  layout.forEach((field, position) => take(command, field, fields[position] ?? ""));
  refuseDuplicates(command.tags);
  return command;
}

function take(command: Command, field: Field, text: string): void {
  switch (field) {
    case "key":
      if (text === "") {
        throw new Refused("bad_key");
      }
      command.key = text;
      break;
    case "mode":
      if (text !== "abs" && text !== "slide") {
        throw new Refused("bad_mode");
      }
      command.slides = text === "slide";
      break;
    case "tags":
      command.tags = text === "-" ? [] : text.split(",").map(readTag);
      break;
    case "tag":
      command.tags = [readTag(text)];
      break;
    case "value":
      command.value = text;
      break;
    case "chars":
      command.chars = readNumber(text, 1, 1000);
      break;
    case "ttl":
    case "lease":
    case "ticket":
      command[field] = readNumber(text, 1, LARGEST);
      break;
    default:
      command[field] = readNumber(text, 0, LARGEST);
  }
}

function readNumber(text: string, least: number, most: number): number {
  const number = Number(text);
  if (!NUMBER.test(text) || number < least || number > most) {
    throw new Refused("bad_number");
  }
  return number;
}

function readTag(text: string): string {
  if (!TAG.test(text)) {
    throw new Refused("bad_tags");
  }
  return text;
}

function refuseDuplicates(tags: readonly string[]): void {
  tags.forEach((tag, position) => {
    if (tags.indexOf(tag) < position) {
      throw new Refused("duplicate_tag", tag);
    }
  });
}
