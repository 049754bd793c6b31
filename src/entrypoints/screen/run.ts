import { join } from "node:path";
import { runScreen } from "./run-screen.ts";

/** The exit code, when the person has left. */
export const left = runScreen({ program: join(__dirname, "cli.cjs"), words: process.argv.slice(2) });
