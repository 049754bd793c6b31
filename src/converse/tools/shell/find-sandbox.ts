import { spawnSync } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import { thisMachine } from "../../../config.ts";
import { oneLine } from "../../../lib/text.ts";
import type { Sandbox, SandboxProfile } from "../sandbox.ts";
import { planBubblewrap } from "./bubblewrap.ts";
import { planSeatbelt } from "./seatbelt.ts";

/** The sandbox of this machine; null if there is none that works. Looked for once per process. */
export async function findSandbox(): Promise<Sandbox | null> {
  const looked = lookForSandbox();
  return looked.kind === "found" ? looked.sandbox : null;
}

export type LookedForSandbox =
  | { readonly kind: "found"; readonly sandbox: Sandbox }
  /** For this system there is none. */
  | { readonly kind: "unknown-system" }
  | { readonly kind: "not-installed"; readonly program: string }
  /** The program is there, and the system forbids what it needs: what it printed. */
  | { readonly kind: "does-not-start"; readonly program: string; readonly error: string };

/** Looks once per process. */
export function lookForSandbox(): LookedForSandbox {
  return (found ??= detectSandbox());
}

let found: LookedForSandbox | undefined;

function detectSandbox(): LookedForSandbox {
  const { platform } = thisMachine();
  if (platform !== "linux" && platform !== "darwin") return { kind: "unknown-system" };
  const name = platform === "linux" ? "bwrap" : "sandbox-exec";
  const program = findProgram(name);
  if (program === null) return { kind: "not-installed", program: name };
  if (platform === "darwin")
    return {
      kind: "found",
      sandbox: { name: "sandbox-exec", plan: (profile) => ({ program, args: planSeatbelt(profile) }) },
    };
  const error = tryToStart(program);
  if (error !== null) return { kind: "does-not-start", program, error };
  return {
    kind: "found",
    sandbox: { name: "bubblewrap", plan: (profile) => ({ program, args: planBubblewrap(profile) }) },
  };
}

/** Some systems have the program and forbid what it needs. What it printed; null if it works. */
function tryToStart(program: string): string | null {
  const trial: SandboxProfile = {
    ...{ workspace: "/", cwd: "/", kind: "open", hasNetwork: false },
    ...{ hidden: [], pinned: [], readOnly: [], absent: [] },
  };
  const ran = spawnSync(program, [...planBubblewrap(trial), "true"], { encoding: "utf8", timeout: 5_000 });
  return ran.status === 0 ? null : oneLine(ran.stderr) || ran.error?.message || `it ended with ${ran.status}`;
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
