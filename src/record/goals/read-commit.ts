import { thisMachine } from "../../config.ts";
import { runGit } from "../../lib/run-git.ts";

/** The commit that a name stands for in a repository; null if there is none, such as before the first commit. */
export async function readCommit(folder: string, name = "HEAD"): Promise<string | null> {
  const { env } = thisMachine();
  const args = ["rev-parse", "--verify", "--quiet", "--end-of-options", `${name}^{commit}`];
  const { ok, stdout } = await runGit({ folder, args, path: env["PATH"] });
  const commit = stdout.trim().split("\n").at(-1) ?? "";
  return ok && /^[\da-f]{40,64}$/.test(commit) ? commit : null;
}
