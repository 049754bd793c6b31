import { runCli } from "./main.ts";

// A reader that went away (`| head`) is no fault of ours.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 70));

/** The exit code, once the command has ended. */
export const done = runCli(process.argv.slice(2));
