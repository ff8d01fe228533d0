// The little of Node.js that this program uses, so that it compiles without any package.

interface Buffer extends Uint8Array {
  subarray(start?: number, end?: number): Buffer;
  toString(encoding?: "utf8", start?: number, end?: number): string;
}

declare const Buffer: {
  from(text: string, encoding: "utf8"): Buffer;
};

declare module "node:fs" {
  export function readFileSync(descriptor: number): Buffer;
  export function writeSync(descriptor: number, bytes: Uint8Array): number;
}
