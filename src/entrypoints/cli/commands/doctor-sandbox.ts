import { loadConfig, resolveHome } from "../../../config.ts";
import { lookForSandbox } from "../../../converse/tools/shell/find-sandbox.ts";
import { listLeftMountPoints } from "../../../converse/tools/shell/mount-points.ts";
import { trySandbox } from "../../../converse/tools/shell/try-sandbox.ts";
import { SANDBOX_HINT } from "../../../domain/approval/decide-action.ts";
import { plural } from "../../../lib/text.ts";
import type { Finding } from "../../../observe/protocol/host.ts";

/** Whether commands of oldhand's own agent can run in a sandbox here, tried with a harmless one. */
export async function listSandboxFindings(home: string | undefined): Promise<readonly Finding[]> {
  return [...(await trySandboxHere(home)), ...findLeftFolders(resolveHome({ home }))];
}

/** What a killed process could not remove. The next command of the agent removes it too. */
function findLeftFolders(home: string): readonly Finding[] {
  const left = listLeftMountPoints(home);
  if (left.length === 0) return [];
  const what = `${plural(left.length, "empty folder")} of a sandbox ${left.length === 1 ? "is" : "are"} left, because its oldhand was killed: ${left.join(", ")}`;
  return [{ level: "note", what, hint: "oldhand doctor --fix removes them" }];
}

async function trySandboxHere(home: string | undefined): Promise<readonly Finding[]> {
  const looked = lookForSandbox();
  if (looked.kind === "unknown-system") return [note("there is no sandbox for this system", null)];
  if (looked.kind === "not-installed")
    return [note(`there is no sandbox: ${looked.program} is not installed`, SANDBOX_HINT)];
  if (looked.kind === "does-not-start")
    return [
      note(`the sandbox does not start: ${looked.error}`, isAboutNamespaces(looked.error) ? NAMESPACES_HINT : null),
    ];
  const { sandbox } = looked;
  const config = loadConfig({ home });
  const tried = await trySandbox(sandbox, config);
  if (tried.kind === "failed") return [note(`the sandbox runs no command: ${tried.error}`, null)];
  const mayConnect = config.policy.chat.sandboxNetwork;
  const leaks = [
    ...(tried.writesOutside ? ["writes outside the workspace"] : []),
    ...(tried.seesHome ? ["sees oldhand's own files"] : []),
    ...(tried.hasNetwork && !mayConnect ? ["has the network"] : []),
    ...(tried.writesInside ? [] : ["cannot write in the workspace"]),
  ];
  if (leaks.length > 0)
    return [
      {
        level: "problem",
        what: `a command in the sandbox (${sandbox.name}) ${leaks.join(", and ")}`,
        hint: "do not use the modes edit and unattended here, and report this",
      },
    ];
  const network = mayConnect ? "has the network (chat.sandboxNetwork)" : "has no network";
  return [
    {
      level: "ok",
      what: `sandbox ${sandbox.name}: a command in it wrote in its workspace only, does not see oldhand's files, and ${network}`,
      hint: null,
    },
  ];
}

function note(what: string, hint: string | null): Finding {
  const effect = "Commands of oldhand's own agent ask in the mode edit, and are off in the mode unattended.";
  return { level: "note", what, hint: hint === null ? effect : `${effect} ${hint}` };
}

function isAboutNamespaces(error: string): boolean {
  return /namespace|uid map|gid map|not permitted|permission denied/i.test(error);
}

const NAMESPACES_HINT =
  "This user may not create user namespaces. On Debian: sysctl kernel.unprivileged_userns_clone=1. On Ubuntu 24.04 and later: an AppArmor profile for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0. In a container: start it with permission for user namespaces.";
