// The part of Node.js that this program uses.

declare module "node:fs" {
  export function readFileSync(file: number, encoding: "utf8"): string;
}

declare const process: { readonly stdout: { write(text: string): void } };
