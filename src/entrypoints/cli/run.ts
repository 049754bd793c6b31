import { runCli } from "./main.ts";

// A closed pipe (`| head`) is not an error.
process.stdout.on("error", (error: NodeJS.ErrnoException) => process.exit(error.code === "EPIPE" ? 0 : 70));

/** The exit code, when the command has ended. */
export const done = runCli(process.argv.slice(2));

export { runCli };
