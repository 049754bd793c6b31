import { findSandbox } from "../../src/converse/tools/shell/find-sandbox.ts";

/** The sandbox of this machine. Where there is none, tests that need it are skipped, and the reason is printed. */
export const sandbox = await findSandbox();

export const skipWithoutSandbox = sandbox === null;
if (skipWithoutSandbox)
  process.stderr.write("skipped: tests of the sandbox need bubblewrap (apt install bubblewrap) and user namespaces\n");
