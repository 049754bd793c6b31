import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { thisMachine } from "../../../config.ts";
import type { Sandbox, SandboxProfile } from "../sandbox.ts";
import { planBubblewrap } from "./bubblewrap.ts";
import { planSeatbelt } from "./seatbelt.ts";

/** The sandbox of this machine; null if there is none that works. Looked for once per process. */
export async function findSandbox(): Promise<Sandbox | null> {
  found ??= { sandbox: detectSandbox() };
  return found.sandbox;
}

let found: { readonly sandbox: Sandbox | null } | undefined;

function detectSandbox(): Sandbox | null {
  const { platform } = thisMachine();
  if (platform === "darwin") {
    const program = findProgram("sandbox-exec");
    return program === null
      ? null
      : { name: "sandbox-exec", plan: (profile) => ({ program, args: planSeatbelt(profile) }) };
  }
  const program = platform === "linux" ? findProgram("bwrap") : null;
  if (program === null || !works(program)) return null;
  return { name: "bubblewrap", plan: (profile) => ({ program, args: planBubblewrap(profile) }) };
}

/** Some systems have the program and forbid what it needs. */
function works(program: string): boolean {
  const trial: SandboxProfile = {
    ...{ workspace: "/", cwd: "/", kind: "open", hasNetwork: false },
    ...{ hidden: [], pinned: [], readOnly: [], absent: [] },
  };
  const ran = spawnSync(program, [...planBubblewrap(trial), "true"], { stdio: "ignore", timeout: 5_000 });
  return ran.status === 0;
}

export function findProgram(name: string): string | null {
  const folders = (thisMachine().env["PATH"] ?? "").split(delimiter).filter((folder) => folder !== "");
  return folders.map((folder) => join(folder, name)).find(isExecutable) ?? null;
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
