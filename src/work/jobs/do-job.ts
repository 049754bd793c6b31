import { existsSync } from "node:fs";
import { constants } from "node:os";
import { type Config, thisMachine } from "../../config.ts";
import type { Context } from "../../context.ts";
import { runProgram } from "../../converse/tools/shell/run-program.ts";
import { redact } from "../../domain/redact/redact.ts";
import type { Job } from "../../domain/work/job.ts";
import { hasPlaceholder } from "../../domain/work/job-command.ts";
import { iso, SECOND } from "../../lib/clock.ts";
import { errorMessage, OldhandError } from "../../lib/errors.ts";
import { toPlainText } from "../../lib/plain-text.ts";
import { nameProcess, ownProcessRef } from "../../lib/process-ref.ts";
import { isStoppedError } from "../../lib/stopped.ts";
import { plural } from "../../lib/text.ts";
import { findCappedCall } from "../../store/models/stored-calls.ts";
import type { Slot } from "../../store/work/slots.ts";
import { findBuiltInJob } from "./built-in-jobs.ts";
import { markOf } from "./command-mark.ts";
import type { WorkResult } from "./run-slot.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** How much of a command's output is kept with its slot: its beginning and its end, in characters. */
const KEPT_OUTPUT = 500;

/** Enough to write a file to its end and remove a lock; short enough for whoever waits after Ctrl-C. */
const GRACE_MS = 5 * SECOND;

const { signals } = constants;

/** The name of a worker of this process: the process, and its machine as the team knows it. */
export function ownWorkerName(config: Pick<Config, "policy">): string {
  return nameProcess(ownProcessRef(), ownMachineName(config));
}

/**
 * Does the work of a job once. An error of the work is a result, so that it counts as a failure of the job. Stops when
 * the signal aborts; its reason, if it is a text, says why.
 */
export async function doJob(
  ctx: Context,
  job: Job,
  { slot }: Pick<Slot, "slot">,
  signal: AbortSignal,
): Promise<WorkResult> {
  const { work } = job;
  if (work.kind === "command") return runCommand(ctx, work, { job, slot, signal });
  const builtIn = findBuiltInJob(work.name);
  if (builtIn === null) return { kind: "failed", detail: `there is no built-in job ${work.name} in this version` };
  try {
    return { kind: "ran", detail: await builtIn.run({ ...ctx, signal }) };
  } catch (error) {
    if (signal.aborted || isStoppedError(error)) return { kind: "stopped", detail: explainStop(signal) };
    if (error instanceof OldhandError && error.code === "capped") return { kind: "capped", detail: error.message };
    return { kind: "failed", detail: redact(toPlainText(errorMessage(error))) };
  }
}

async function runCommand(
  { db, clock, config }: Pick<Context, "db" | "clock" | "config">,
  { command, folder, seconds }: Extract<Job["work"], { kind: "command" }>,
  of: { readonly job: Job; readonly slot: number; readonly signal: AbortSignal },
): Promise<WorkResult> {
  if (!existsSync(folder)) return { kind: "failed", detail: `its folder ${folder} is not there` };
  if (hasPlaceholder(command))
    return {
      kind: "failed",
      detail: `its command has a placeholder instead of a secret; oldhand job edit ${of.job.name} --command changes it`,
    };
  const startedAt = clock.now();
  const { ended, exitCode, signalName, output, leftBehind } = await runProgram({
    ...shellOf(command),
    cwd: folder,
    env: commandEnvironment(config, of.job, of.slot),
    timeoutMs: seconds * SECOND,
    mostCharacters: KEPT_OUTPUT,
    signal: of.signal,
    graceMs: GRACE_MS,
    report: () => {},
  });
  // Colours may split a secret.
  const kept = redact(toPlainText(output)).trim();
  const shown = kept === "" ? "" : `: ${kept}`;
  if (ended === "stopped")
    return { kind: "stopped", detail: `${explainStop(of.signal)}${kept === "" ? "" : `; its output: ${kept}`}` };
  if (ended === "timeout") return { kind: "failed", detail: `it took longer than ${seconds} seconds${shown}` };
  if (ended === "not started") return { kind: "failed", detail: `it could not start${shown}` };
  const left = leftBehind === 0 ? "" : `\n(${explainLeft(leftBehind)})`;
  if (exitCode === 0) return { kind: "ran", detail: `${kept === "" ? "exit 0" : kept}${left}` };
  const detail = `${explainExit(exitCode, signalName)}${shown}${left}`;
  const capped = await findCappedCall(db, of.job.name, startedAt);
  if (capped === null) return { kind: "failed", detail };
  // Its own words first: the command may not have shown those of the cap.
  return { kind: "capped", detail: `${capped.route.at(-1) ?? "a cap stopped its call."} ${capped.id}; ${detail}` };
}

function explainStop({ reason }: AbortSignal): string {
  return `stopped before its end${typeof reason === "string" ? `, because ${reason}` : ""}`;
}

function explainLeft(count: number): string {
  return `${plural(count, "process", "processes")} that it left behind ${count === 1 ? "was" : "were"} ended`;
}

function explainExit(exitCode: number | null, signalName: string | null): string {
  if (exitCode === null) return signalName === null ? "ended by a signal" : `ended by the signal ${signalName}`;
  // A shell reports the signal that ended its last program so.
  const [inner] = Object.entries(signals).find(([, number]) => number === exitCode - 128) ?? [];
  return inner === undefined ? `exit ${exitCode}` : `exit ${exitCode} (${inner})`;
}

function shellOf(command: string): { readonly program: string; readonly args: readonly string[] } {
  return thisMachine().platform === "win32"
    ? { program: "powershell", args: ["-NoProfile", "-NonInteractive", "-Command", command] }
    : { program: "sh", args: ["-c", command] };
}

/** The owner's own command gets the owner's environment, this mind, the name of the job, its slot and its model. */
function commandEnvironment(
  { home, providers, policy }: Pick<Config, "home" | "providers" | "policy">,
  { id, name, model }: Job,
  slot: number,
): Readonly<Record<string, string>> {
  const [mark, ranBy] = markOf({ job: id, slot }, ownWorkerName({ policy }));
  const env: Record<string, string> = {};
  // All members of it are inherited.
  for (const key in providers.env) {
    const value = providers.env[key];
    if (value !== undefined) env[key] = value;
  }
  return {
    ...env,
    OLDHAND_HOME: home,
    OLDHAND_JOB: name,
    OLDHAND_SLOT: iso(slot),
    [mark]: ranBy,
    ...(model === null ? {} : { OLDHAND_MODEL: model }),
  };
}
