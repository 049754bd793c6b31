import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { OldhandError, systemErrorCode } from "../../lib/errors.ts";
import { replaceFile } from "../../lib/replace-file.ts";
import type { ServiceUnit } from "./startup-unit.ts";

/** What was done, and what is left to do by hand. */
export interface ServiceReport {
  readonly path: string;
  readonly did: "wrote" | "replaced" | "kept" | "removed" | "nothing";
  /** Commands that the system could not run; empty if all went well. */
  readonly left: readonly (readonly string[])[];
  /** Why not, in its own words. */
  readonly trouble: string | null;
  /** The trouble is that this system has no such service manager: the file is all that can be done. */
  readonly isUnmanaged: boolean;
}

/** Writes the file of the service and starts it. A file that is the same already is kept. */
export function installService(unit: ServiceUnit): ServiceReport {
  const before = existsSync(unit.path) ? readFileSync(unit.path, "utf8") : null;
  if (before !== null) requireOwn(unit, before);
  if (before !== unit.text) replaceFile(unit.path, unit.text, 0o600);
  const did = before === null ? "wrote" : before === unit.text ? "kept" : "replaced";
  return { path: unit.path, did, ...runAll(unit.start) };
}

/** Stops the service and removes its file. */
export function uninstallService(unit: ServiceUnit): ServiceReport {
  if (!existsSync(unit.path)) return { path: unit.path, did: "nothing", ...nothingLeft };
  requireOwn(unit, readFileSync(unit.path, "utf8"));
  const [stop, ...after] = unit.stop;
  const stopped = stop === undefined ? nothingLeft : runAll([stop]);
  rmSync(unit.path);
  const rest = stopped.trouble === null ? runAll(after) : nothingLeft;
  const left = [...stopped.left, ...(stopped.trouble === null ? rest.left : after)];
  const { trouble, isUnmanaged } = stopped.trouble === null ? rest : stopped;
  return { path: unit.path, did: "removed", left, trouble, isUnmanaged };
}

/** A file of that name that oldhand did not write, or that runs another mind, is not touched. */
function requireOwn({ path, marks }: ServiceUnit, text: string): void {
  const missing = marks.find((mark) => !text.includes(mark));
  if (missing !== undefined)
    throw new OldhandError("conflict", `${path} is not the service of this mind: it does not contain ${missing}`, {
      hint: "move it away, or run the command with the --home that it names",
    });
}

const nothingLeft = { left: [], trouble: null, isUnmanaged: false };

/** One after another; stops at the first that fails. */
function runAll(commands: readonly (readonly string[])[]): Pick<ServiceReport, "left" | "trouble" | "isUnmanaged"> {
  for (const [at, [program = "", ...args]] of commands.entries()) {
    const ran = spawnSync(program, args, { encoding: "utf8", timeout: 30_000 });
    if (ran.status === 0) continue;
    const words = `${ran.stderr ?? ""}${ran.stdout ?? ""}`.trim().split("\n")[0] ?? "";
    const trouble = ran.error === undefined ? words : `${program} is not there`;
    const isUnmanaged = ran.error !== undefined && systemErrorCode(ran.error) === "ENOENT";
    return { left: commands.slice(at), trouble: trouble === "" ? `${program} failed` : trouble, isUnmanaged };
  }
  return nothingLeft;
}
