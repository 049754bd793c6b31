import { existsSync, mkdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { thisMachine } from "../../../config.ts";
import type { Context } from "../../../context.ts";
import { listOwnPaths } from "../../../converse/tools/own-paths.ts";
import type { Sandbox, SandboxProfile } from "../../../converse/tools/sandbox.ts";
import { TEMPORARY } from "../../../converse/tools/shell/bubblewrap.ts";
import { composeSandboxProfile } from "../../../converse/tools/shell/sandbox-profile.ts";
import { composeShellEnvironment } from "../../../converse/tools/shell/shell-environment.ts";
import { runProgram } from "../../../converse/tools/shell/run-program.ts";
import { isSamePlaceOrBelow } from "../../../domain/approval/protected-paths.ts";
import { SECOND } from "../../../lib/clock.ts";
import { toPlainText } from "../../../lib/plain-text.ts";
import { throwIfStopped } from "../../../lib/stopped.ts";
import type { CleanRepository } from "./clean-repository.ts";
import { type Dependency, listWorkTrees } from "./find-dependencies.ts";

export interface CheckoutRun {
  readonly exitCode: number | null;
  readonly isTimeout: boolean;
  /** The sandbox itself failed: nothing ran. */
  readonly isUnstarted: boolean;
  readonly output: string;
}

export interface CheckoutPlace {
  readonly repository: CleanRepository;
  /** The goal's folder. Inside the sandbox, a clean checkout lies over it. */
  readonly folder: string;
  readonly dependencies: readonly Dependency[];
  readonly sandbox: Sandbox;
}

/**
 * Runs a command on a clean checkout. It sees the checkout where the goal's folder is, so that paths in installed programs hold, and
 * nothing of that folder itself but the dependencies.
 */
export async function runInCheckout(
  { config, signal }: Pick<Context, "config" | "signal">,
  { repository, folder, dependencies, sandbox }: CheckoutPlace,
  { tree, command, seconds }: { readonly tree: string; readonly command: string; readonly seconds: number },
): Promise<CheckoutRun> {
  throwIfStopped(signal);
  const mounted = dependencies.flatMap((one) => mountDependency(one, tree, folder));
  const { userHome, env } = thisMachine();
  const own = listOwnPaths(config);
  const inTree = composeSandboxProfile({
    ...{ workspace: tree, cwd: tree, kind: "closed", hasNetwork: false, userHome, own },
  });
  const isCovered = (path: string) =>
    isSamePlaceOrBelow(folder, path) || inTree.hidden.some((one) => one.isFolder && isSamePlaceOrBelow(one.path, path));
  const others = listWorkTrees(repository.objects).filter(
    (path) => !isCovered(path) && !isSamePlaceOrBelow(path, folder),
  );
  const profile: SandboxProfile = {
    ...{ workspace: folder, contents: tree, cwd: folder, kind: "closed", hasNetwork: false },
    hidden: [
      ...inTree.hidden.filter(({ path }) => !isSamePlaceOrBelow(folder, path)),
      ...others.map((path) => ({ path, isFolder: true })),
    ],
    mounted: [...mounted, { from: repository.objects, to: repository.link }],
    ...{ pinned: [], readOnly: [], absent: [] },
  };
  const { program, args } = sandbox.plan(profile);
  const ran = await runProgram({
    program,
    args: [...args, "sh", "-c", command],
    cwd: tree,
    env: {
      ...composeShellEnvironment({ env, providers: config.providers, session: "proof", isClosed: true }),
      ...homeOf(env, userHome),
    },
    timeoutMs: seconds * SECOND,
    mostCharacters: MOST_CHARACTERS,
    signal,
    report: () => {},
  });
  throwIfStopped(signal);
  const output = toPlainText(ran.output);
  return {
    exitCode: ran.exitCode,
    isTimeout: ran.ended === "timeout",
    isUnstarted: ran.ended === "not started" || (ran.exitCode !== 0 && output.startsWith("bwrap: ")),
    output,
  };
}

/** Enough for the summaries of test runners, which come last. */
const MOST_CHARACTERS = 400_000;

/** Settings in the user's home must not decide a check; installed tools in it are found by their own variables. */
function homeOf(env: Readonly<Record<string, string | undefined>>, userHome: string): Readonly<Record<string, string>> {
  const tools = { CARGO_HOME: ".cargo", RUSTUP_HOME: ".rustup", GOPATH: "go", PYTHONUSERBASE: ".local" };
  const found = Object.entries(tools).flatMap(([name, folder]) => {
    const path = env[name] ?? join(userHome, folder);
    return existsSync(path) ? [[name, path]] : [];
  });
  return { ...Object.fromEntries(found), HOME: TEMPORARY, CI: "1", PYTHONDONTWRITEBYTECODE: "1" };
}

function mountDependency(
  { from, path, links, entries }: Dependency,
  tree: string,
  folder: string,
): readonly { readonly from: string; readonly to: string }[] {
  const at = join(tree, path);
  // A folder that the commit does not have is not made for its dependencies.
  if (!existsSync(dirname(at)) || existsSync(at)) return [];
  mkdirSync(at);
  if (entries === null) return [{ from, to: join(folder, path) }];
  for (const { name, target } of links) symlinkSync(target, join(at, name));
  return entries.map((name) => ({ from: join(from, name), to: join(folder, path, name) }));
}
