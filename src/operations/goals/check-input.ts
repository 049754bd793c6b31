import { z } from "zod";
import type { Check } from "../../domain/goal/check.ts";
import { OldhandError } from "../../lib/errors.ts";
import { splitList } from "./goal-shapes.ts";

/** How a check is typed. One of them, with what belongs to it. */
export const checkInputs = {
  check: z.string().trim().min(1).optional().describe("done when this command succeeds, in a clean checkout"),
  test: z.string().trim().min(1).optional().describe("done when this test command passes, and really ran tests"),
  exit: z.coerce.number<number>().int().min(0).max(255).optional().describe("the exit code of success (default 0)"),
  seconds: z.coerce.number<number>().int().min(1).max(3_600).optional().describe("time limit of the command"),
  files: z
    .string()
    .optional()
    .describe("files that belong to the check, with commas between; changes of them by the executor do not count"),
  file: z.string().trim().min(1).optional().describe("done when this file is there"),
  contains: z.string().min(1).optional().describe("with --file: and contains this text"),
  commit: z.string().trim().min(1).optional().describe("done when there is a commit whose message has this text"),
  changes: z
    .string()
    .trim()
    .min(1)
    .optional()
    .describe("done when there is a commit that changes these paths, with commas between"),
  review: z.string().trim().min(1).optional().describe("done when a reviewer model finds that this is met"),
  person: z.string().trim().min(1).optional().describe("done when a person says yes to this question"),
};

type CheckInput = { readonly [Name in keyof typeof checkInputs]?: z.infer<(typeof checkInputs)[Name]> };

const DEFAULT_SECONDS = 600;

/** Null if none was typed. */
export function readCheck(input: CheckInput): Check | null {
  const checks = listChecks(input);
  if (checks.length > 1)
    throw new OldhandError("usage", "a task has one check, and several were given", {
      hint: "a script that the command runs can check several things",
    });
  const [check = null] = checks;
  requireFitting(input, check);
  return check;
}

function listChecks(input: CheckInput): readonly Check[] {
  const run = (kind: "command" | "test", command: string): Check => ({
    ...{ kind, command, exit: input.exit ?? 0, seconds: input.seconds ?? DEFAULT_SECONDS },
    files: splitList(input.files),
  });
  return [
    ...(input.check === undefined ? [] : [run("command", input.check)]),
    ...(input.test === undefined ? [] : [run("test", input.test)]),
    ...(input.file === undefined
      ? []
      : [{ kind: "file", path: input.file, contains: input.contains ?? null } as const]),
    ...(input.commit === undefined && input.changes === undefined
      ? []
      : [{ kind: "commit", paths: splitList(input.changes), message: input.commit ?? null } as const]),
    ...(input.review === undefined ? [] : [{ kind: "reviewer", criteria: input.review, model: null } as const]),
    ...(input.person === undefined ? [] : [{ kind: "person", asks: input.person } as const]),
  ];
}

function requireFitting(input: CheckInput, check: Check | null): void {
  const runs = check?.kind === "command" || check?.kind === "test";
  const stray = (["exit", "seconds", "files"] as const).find((name) => input[name] !== undefined && !runs);
  if (stray !== undefined) throw new OldhandError("usage", `--${stray} belongs to --check or --test`);
  if (input.contains !== undefined && check?.kind !== "file")
    throw new OldhandError("usage", "--contains belongs to --file");
  if (check?.kind === "test" && check.exit !== 0)
    throw new OldhandError("usage", "tests pass with exit code 0", { hint: "use --check with --exit" });
}

export const noCheckHint =
  "one of --check COMMAND, --test COMMAND, --file PATH, --commit TEXT, --changes PATHS, --review CRITERIA, --person QUESTION";
