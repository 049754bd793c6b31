// The program's entry file: it decides what to load, and loads nothing else. `--version` and hooks run thousands of
// times a day, so they skip the rest.
import { writeSync } from "node:fs";
import { join } from "node:path";
import { version } from "../version.ts";
import { startHook } from "./hook/start.ts";

const [word, ...rest] = process.argv.slice(2);

if (word === "--version" || word === "-v") writeSync(1, `${version}\n`);
else if (word === "hook" && !rest.includes("--help")) void startHook(rest);
else require(join(__dirname, word === "chat" ? "screen.cjs" : "cli.cjs"));
