// The program's entry file: it decides what to load, and loads nothing else. `--version` and hooks run thousands of
// times a day, so they skip the rest.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { isatty } from "node:tty";
import { version } from "../version.ts";
import { startHook } from "./hook/start.ts";

const [word, ...rest] = process.argv.slice(2);

if (word === "--version" || word === "-v") writeSync(1, `${version}\n`);
else if (word === "hook" && !rest.includes("--help")) void startHook(rest);
else if (word === "chat" && canShowScreen(rest)) require(join(__dirname, "screen.cjs"));
else require(join(__dirname, "cli.cjs"));

/** Elsewhere a chat works line by line. */
function canShowScreen(flags: readonly string[]): boolean {
  const isPlain = flags.some((flag) => ["--plain", "--help", "-h", "--json"].includes(flag));
  return !isPlain && process.env["TERM"] !== "dumb" && isatty(0) && isatty(1);
}
