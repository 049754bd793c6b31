import { sha256 } from "../../lib/sha256.ts";
import { findCommandFault } from "../work/job-command.ts";

/**
 * How it is decided that a task is done. It is bound when the task is made, and other code than the executor's runs it:
 *
 * - `command` exits as expected;
 * - `test`: a test command passes, and really ran tests;
 * - `file` is there, with a text;
 * - `commit`: a commit that changed these paths, or whose message has this text, is reachable;
 * - `reviewer`: a model judges the work against criteria;
 * - `person`: somebody says yes.
 */
export type Check =
  | {
      readonly kind: "command" | "test";
      readonly command: string;
      /** The exit code that means success. */
      readonly exit: number;
      readonly seconds: number;
      /** What belongs to the check. The executor's changes of them are not used. */
      readonly files: readonly string[];
    }
  | { readonly kind: "file"; readonly path: string; readonly contains: string | null }
  | { readonly kind: "commit"; readonly paths: readonly string[]; readonly message: string | null }
  | { readonly kind: "reviewer"; readonly criteria: string; readonly model: string | null }
  | { readonly kind: "person"; readonly asks: string };

export const checkKinds = ["command", "test", "file", "commit", "reviewer", "person"] as const;

/** The same for the same check, whatever the order of its fields. */
export function hashCheck(check: Check): string {
  const text = JSON.stringify(check, (_key, value: unknown) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
  return sha256(text);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** One line that a person reads. */
export function describeCheck(check: Check): string {
  switch (check.kind) {
    case "command":
      return check.exit === 0 ? `\`${check.command}\` succeeds` : `\`${check.command}\` exits with ${check.exit}`;
    case "test":
      return `the tests of \`${check.command}\` pass`;
    case "file":
      return check.contains === null ? `the file ${check.path} is there` : `${check.path} contains "${check.contains}"`;
    case "commit":
      return describeCommit(check);
    case "reviewer":
      return `a reviewer model says yes: ${check.criteria}`;
    case "person":
      return `a person says yes: ${check.asks}`;
  }
}

function describeCommit({ paths, message }: Extract<Check, { kind: "commit" }>): string {
  const changes = paths.length === 0 ? "" : ` that changes ${paths.join(", ")}`;
  const says = message === null ? "" : ` whose message has "${message}"`;
  return `there is a commit${changes}${changes !== "" && says !== "" ? " and" : ""}${says}`;
}

/** Why a check cannot be used; null if it can. */
export function findCheckFault(check: Check): string | null {
  switch (check.kind) {
    case "command":
    case "test":
      return findCommandFault(check.command) ?? findPathFault(check.files);
    case "file":
      return findPathFault([check.path]);
    case "commit":
      return findPathFault(check.paths);
    case "reviewer":
    case "person":
      return null;
  }
}

/** A check looks at a clean checkout, which holds only the repository. */
function findPathFault(paths: readonly string[]): string | null {
  const outside = paths.find((path) => /^(?:[/\\~]|[a-z]:)/i.test(path) || path.split(/[/\\]/).includes(".."));
  return outside === undefined ? null : `"${outside}" is not a path inside the goal's folder`;
}
