// The few things of Node.js that this program uses.

declare module "node:fs" {
  export function readFileSync(file: number, encoding: "utf8"): string;
  export function writeSync(file: number, bytes: Uint8Array): number;
}

declare const Buffer: { from(text: string, encoding: "utf8"): Uint8Array };
