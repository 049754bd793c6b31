import type { Context } from "../../../context.ts";
import { lookForSandbox } from "../../../converse/tools/shell/find-sandbox.ts";
import { SANDBOX_HINT } from "../../../domain/approval/decide-action.ts";
import { explainCannotRun } from "../../../domain/goal/cannot-run.ts";
import type { Check } from "../../../domain/goal/check.ts";
import { countTests, type TestCount } from "../../../domain/goal/count-tests.ts";
import { findPretence, isTestPath } from "../../../domain/goal/steering.ts";
import { redact } from "../../../domain/redact/redact.ts";
import { capitalised, plural } from "../../../lib/text.ts";
import type { ChangedPath, CleanRepository } from "./clean-repository.ts";
import { findDependencies } from "./find-dependencies.ts";
import { findSteering } from "./find-steering.ts";
import { type CheckoutPlace, type CheckoutRun, runInCheckout } from "./run-in-checkout.ts";
import { claimed, failed, type Judged, shortly, type CheckVerdict } from "./verdict.ts";

type RunCheck = Extract<Check, { kind: "command" | "test" }>;
type JudgeContext = Pick<Context, "config" | "signal" | "report">;

/**
 * Runs the command on the commit, with what steers it as it was before, and on the commit from which the work began. It must succeed
 * on the first and fail on the second.
 */
export async function judgeCommand(
  ctx: JudgeContext,
  { repository, folder }: { readonly repository: CleanRepository; readonly folder: string },
  check: RunCheck,
  judged: Judged,
): Promise<CheckVerdict> {
  const looked = lookForSandbox();
  if (looked.kind !== "found" || looked.sandbox.name !== "bubblewrap")
    return claimed(
      `The check was not run: commands are run in a sandbox only, and there is none here. ${SANDBOX_HINT}`,
    );
  const dependencies = findDependencies(folder, await repository.listPaths(judged.base));
  const place: CheckoutPlace = { repository, folder, dependencies, sandbox: looked.sandbox };
  const run = async (tree: string, takenBack: readonly ChangedPath[], where: string) => {
    ctx.report({ text: `running \`${redact(check.command)}\` ${where}`, isStep: true });
    return runInCheckout(ctx, place, { ...check, tree: await repository.checkOut(tree, takenBack) });
  };
  const steering = await findSteering(repository, check, judged);
  const asBefore = steering.length === 0 ? "" : ", with its tests and settings as they were before the work";
  const after = await run(judged.head, steering, `on ${shortly(judged.head)}${asBefore}`);
  if (after.isUnstarted) return claimed(`The check was not run: the sandbox did not start. ${tailOf(after)}`);
  if (!passes(check, after)) {
    const asIs =
      steering.length === 0 ? after : await run(judged.head, [], "with its tests and settings as the work left them");
    if (!passes(check, asIs)) return failed(`${explainFailure(check, asIs)}${tailOf(asIs)}`);
    return claimed(
      `It passes only with what the work changed of the check itself: ${listNames(steering)}. As they were before, it fails. ` +
        "If that is the work itself, `oldhand task edit TASK --files PATHS` says what belongs to the check.",
    );
  }
  const before = await run(judged.base, [], "on the commit from which the work began");
  // What is merged is the work as it is, so it must pass with its own tests and settings too.
  const asLeft = async () => {
    if (steering.length === 0) return null;
    const left = await run(judged.head, [], "with its tests and settings as the work left them");
    if (!passes(check, left))
      return `With what the work changed of the check itself (${listNames(steering)}), it fails: ${explainFailure(check, left)}${tailOf(left)}`;
    const why = explainCount(check, countTests(before.output), countTests(left.output));
    return why === null ? null : `With its tests as the work left them, ${why}`;
  };
  const newTests = judged.changes.filter(({ path, before: old }) => old === null && isTestPath(path));
  // New tests must not make up for old ones that do not run any more.
  const withoutNew = async () => {
    if (check.kind !== "test" || newTests.length === 0) return null;
    const old = await run(judged.head, [...steering, ...newTests], "without its new tests");
    const why = explainCount(check, countTests(before.output), countTests(old.output));
    return why === null ? null : `Without its new tests, ${why}`;
  };
  const doubt =
    judged.doubt ??
    explainDeleted(check, judged.changes, steering) ??
    explainBase(check, before) ??
    capitalisedOrNull(explainCount(check, countTests(before.output), countTests(after.output))) ??
    (await withoutNew()) ??
    (await asLeft()) ??
    (await explainPretence(repository, judged, steering));
  if (doubt !== null) return claimed(doubt);
  const count = check.kind === "test" ? countTests(after.output) : null;
  const tests = count === null ? "" : `, ${plural(count.ran, "test")}`;
  return { kind: "verified", what: `\`${check.command}\` passes${tests}, and failed before` };
}

function passes({ exit }: RunCheck, { isTimeout, isUnstarted, exitCode }: CheckoutRun): boolean {
  return !isTimeout && !isUnstarted && exitCode === exit;
}

function explainFailure({ command, seconds }: RunCheck, run: CheckoutRun): string {
  if (run.isTimeout) return `\`${command}\` took longer than ${seconds} seconds.`;
  const because = explainCannotRun(run);
  return `\`${command}\` ended with ${run.exitCode ?? "a signal"}${because === null ? "" : `: ${because}`}.`;
}

/** Why the check on the commit before the work shows nothing; null if it failed, as it must. */
function explainBase(check: RunCheck, before: CheckoutRun): string | null {
  if (passes(check, before))
    return "The check passes without the work too, so it does not show that the work was done.";
  if (before.isTimeout)
    return `Without the work, the check took longer than ${check.seconds} seconds, so it did not fail.`;
  if (before.isUnstarted) return `Without the work, the check was not run. ${tailOf(before)}`;
  const because = explainCannotRun(before);
  return because === null ? null : `Without the work, the check could not be run: ${because}. So it did not fail.`;
}

/** Whoever merges the work merges this too. A test that was only moved still runs, and its runner counts it. */
function explainDeleted(
  { kind }: RunCheck,
  changes: readonly ChangedPath[],
  steering: readonly ChangedPath[],
): string | null {
  const isMoved = (object: string | undefined) =>
    kind === "test" &&
    changes.some((one) => one.before === null && isTestPath(one.path) && one.after?.object === object);
  const deleted = steering.filter(
    ({ path, before, after }) => after === null && isTestPath(path) && !isMoved(before?.object),
  );
  return deleted.length === 0 ? null : `The work deletes ${listNames(deleted)}.`;
}

function explainCount({ kind }: RunCheck, before: TestCount | null, after: TestCount | null): string | null {
  if (after === null)
    return kind === "test" ? "the output does not say how many tests ran. (Of Go, `go test -v` says it.)" : null;
  if (after.ran === 0) return "no test ran.";
  if (after.ran < (before?.ran ?? 0))
    return `${plural(after.ran, "test")} ran, and ${before?.ran ?? 0} without the work.`;
  if (after.skipped > (before?.skipped ?? 0))
    return `${plural(after.skipped, "test")} did not run (skipped or left out), and ${before?.skipped ?? 0} without the work.`;
  // A program may print a summary of its own, before or after that of the runner.
  return after.summaries > Math.max(1, before?.summaries ?? 0)
    ? `the output has ${after.summaries} summaries of tests, and ${before?.summaries ?? 0} without the work.`
    : null;
}

function capitalisedOrNull(text: string | null): string | null {
  return text === null ? null : capitalised(text);
}

/** A program that ends itself looks like one that succeeded. */
async function explainPretence(
  repository: CleanRepository,
  { base, head, changes }: Judged,
  steering: readonly ChangedPath[],
): Promise<string | null> {
  for (const { path, after } of changes) {
    if (after === null || /\.(?:md|txt|rst|adoc)$/i.test(path) || steering.some((one) => one.path === path)) continue;
    const diff = await repository.git([
      "diff-tree",
      "-p",
      "--text",
      "--no-ext-diff",
      "--no-textconv",
      "-U0",
      base,
      head,
      "--",
      path,
    ]);
    const added = diff.split("\n").filter((line) => line.startsWith("+") && !line.startsWith("+++"));
    const line = findPretence(added.map((one) => one.slice(1)));
    if (line !== null)
      return `The work added \`${redact(line).slice(0, 120)}\` to ${path}: with it, a program can look as if it had passed. A person must look at it.`;
  }
  return null;
}

function listNames(changes: readonly ChangedPath[]): string {
  const names = changes.slice(0, MOST_NAMES).map(({ path }) => path);
  return [...names, ...(changes.length > MOST_NAMES ? [`${changes.length - MOST_NAMES} more`] : [])].join(", ");
}

const MOST_NAMES = 8;

/** The last lines of the output. */
function tailOf({ output }: CheckoutRun): string {
  const lines = output.split("\n").filter((line) => line.trim() !== "" && !STACK_LINE.test(line));
  return lines.length === 0 ? "" : `\n${redact(lines.slice(-LAST_LINES).join("\n")).slice(-MOST_TAIL)}`;
}

const LAST_LINES = 15;
/** Of Node and Python: what went wrong stands above it. */
const STACK_LINE = /^\s+at .*[:(]|^\s+File ".*", line \d+/;
const MOST_TAIL = 1_500;
