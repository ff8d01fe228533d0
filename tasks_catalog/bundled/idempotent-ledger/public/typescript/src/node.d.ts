// What the program uses of Node.js.

declare module "node:fs" {
  export function readFileSync(descriptor: number, encoding: "utf8"): string;
  export function writeSync(descriptor: number, bytes: Uint8Array): number;
}

declare const Buffer: {
  from(text: string, encoding: "utf8"): Uint8Array;
};
