import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync } from "node:zlib";
import { program, root } from "../program.ts";

/** The path at which the home of version 0.1.0 was created. */
const MADE_AT = "/home/ada";
const NODE = "/usr/bin/node";

/**
 * Unpacks a home as version 0.1.0 left it, with the files of the connected hosts. Its paths and its Node are replaced
 * in texts by this folder and this Node.
 */
export function unpackHome(folder: string): void {
  for (const { name, bytes } of filesIn(gunzipSync(readFileSync(join(root, "test", "upgrade", "home-0.1.0.tar.gz"))))) {
    const path = join(folder, name);
    const isText = !/\.(db|gz)$/.test(name);
    const text = bytes.toString("utf8").replaceAll(MADE_AT, folder).replaceAll(NODE, process.execPath);
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(path, isText ? text : bytes, { mode: 0o600 });
  }
}

/** The program that the hooks of that home run. */
export function programOf(folder: string): string {
  return join(folder, "lib", "node_modules", "oldhand", "dist", "oldhand.cjs");
}

/** Simulates an update in place: the same path now runs this version. */
export function updateInPlace(folder: string): void {
  mkdirSync(dirname(programOf(folder)), { recursive: true });
  writeFileSync(programOf(folder), `require(${JSON.stringify(program)});\n`);
}

function* filesIn(tar: Buffer): Iterable<{ readonly name: string; readonly bytes: Buffer }> {
  const text = (from: number, length: number) => tar.toString("latin1", from, from + length).replace(/\0.*$/s, "");
  for (let at = 0; at < tar.length && tar[at] !== 0;) {
    const size = Number.parseInt(text(at + 124, 12), 8);
    // A regular file has type 0; other types have no contents.
    if (text(at + 156, 1) === "0") yield { name: text(at, 100), bytes: tar.subarray(at + 512, at + 512 + size) };
    at += 512 + Math.ceil(size / 512) * 512;
  }
}
