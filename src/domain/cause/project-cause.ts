import { isScript } from "../shell/programs.ts";
import { folderCovers } from "../workspace.ts";
import type { FailureCause } from "./cause.ts";
import type { CauseKind } from "./patterns.ts";

/** A failed call, as far as its scope needs it. */
export interface PlacedFailure {
  readonly cause: FailureCause | null;
  /** The head of its command; null if it is not a shell call. */
  readonly head: string | null;
  readonly traits: ReadonlySet<string>;
  readonly workspace: string | null;
}

/**
 * True if the failure says nothing about other projects: what is missing here may be there, a program of this project
 * is another one there, and an unknown cause may be any.
 */
export function isOfProject(failure: PlacedFailure): boolean {
  const { cause } = failure;
  if (cause === null || isOwnProgram(failure)) return true;
  return projectKinds.has(cause.kind);
}

const projectKinds: ReadonlySet<CauseKind> = new Set([
  "unknown-script",
  "unknown-name",
  "not-executable",
  "branch-exists",
  "unknown-skill",
  "unknown-agent",
  "unset-variable",
  "needs-value",
  "wrong-program",
  // What an interpreter has installed differs from project to project, and from machine to machine.
  "missing-module",
  "missing-path",
  "missing-ref",
  "too-large",
  "text-not-found",
  "not-unique",
  "ignored-by-git",
]);

function isOwnProgram(failure: PlacedFailure): boolean {
  const path = programPath(failure);
  if (path === null) return isScript(failure.head?.split(" ", 1)[0] ?? "");
  if (!/^(?:[/\\~]|[A-Za-z]:)/.test(path)) return true;
  return failure.workspace !== null && folderCovers(failure.workspace, path);
}

/** The program's path as typed; null if it was called by its name. */
function programPath({ traits }: PlacedFailure): string | null {
  for (const trait of traits) if (trait.startsWith(PROGRAM)) return trait.slice(PROGRAM.length);
  return null;
}

const PROGRAM = "program ";
