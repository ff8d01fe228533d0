// The part of Node.js that this program uses.

declare module "node:fs" {
  export function readFileSync(file: number, encoding: "utf8"): string;
}

declare const process: { readonly stdout: { write(text: string): void } };

interface Bytes {
  readonly length: number;
}

declare const Buffer: {
  byteLength(text: string, encoding: "utf8"): number;
  from(text: string, encoding: "utf8"): Bytes;
  compare(a: Bytes, b: Bytes): number;
};
