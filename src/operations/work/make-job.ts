import { existsSync } from "node:fs";
import { posix, resolve, win32 } from "node:path";
import type { Context } from "../../context.ts";
import { findDefaultModel } from "../../domain/model/endpoint.ts";
import { formatModelRef } from "../../domain/model/model-ref.ts";
import { toName } from "../../domain/work/addressee.ts";
import { findJobNameFault, type Job, type JobWork, machineOf } from "../../domain/work/job.ts";
import { findCommandFault } from "../../domain/work/job-command.ts";
import { findScheduleFault } from "../../lib/cron.ts";
import { findLocalZoneFault, localTimeZone } from "../../lib/local-zone.ts";
import { OldhandError } from "../../lib/errors.ts";
import { newId } from "../../lib/ids.ts";
import { requireModelRef } from "../../models/providers/named-model.ts";
import { findJobByName } from "../../store/nouns/jobs.ts";
import { listKnownMachines } from "../../store/work/known-machines.ts";
import { builtInJobs, findBuiltInJob } from "../../work/jobs/built-in-jobs.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** What the owner gave for a new job. */
export interface NewJob {
  readonly name: string;
  readonly cron?: string | undefined;
  readonly command?: string | undefined;
  readonly folder?: string | undefined;
  readonly seconds?: number | undefined;
  readonly zone?: string | undefined;
  readonly late: Job["late"];
  readonly model?: string | undefined;
  readonly machine?: string | undefined;
  readonly anywhere?: boolean | undefined;
}

type JobContext = Pick<Context, "clock" | "config" | "store">;

export async function requireFreeName(ctx: Pick<Context, "db">, wanted: string): Promise<void> {
  if ((await findJobByName(ctx.db, wanted)) === null) return;
  throw new OldhandError("conflict", `there is a job ${wanted} already`, {
    hint: `oldhand job edit ${wanted} changes it, oldhand job remove ${wanted} removes it`,
  });
}

export function makeJob(ctx: JobContext, input: NewJob): Job {
  const fault = findJobNameFault(input.name);
  if (fault !== null) throw new OldhandError("usage", fault);
  const work = makeWork(ctx, input);
  const builtIn = work.kind === "built-in" ? findBuiltInJob(work.name) : null;
  const cron = input.cron ?? builtIn?.cron;
  if (cron === undefined)
    throw new OldhandError("usage", "--cron is missing", { hint: 'such as --cron "0 9 * * 1-5"' });
  const now = ctx.clock.now();
  const schedule = { cron, zone: input.zone ?? requireLocalZone(ctx) };
  requireSchedule(schedule, now);
  return {
    id: newId("job", now),
    name: input.name,
    ...schedule,
    work,
    late: input.late,
    model: pinModel(ctx, input),
    enabled: true,
    madeAt: now,
  };
}

function requireLocalZone({ config }: Pick<Context, "config">): string {
  const fault = findLocalZoneFault(config.providers.env["TZ"]);
  if (fault === null) return localTimeZone();
  throw new OldhandError("usage", fault, { hint: "change the variable TZ, or name the zone of the job: --zone" });
}

/** The model is chosen now: a job must not move to another one because the default changed. */
function pinModel(
  { config }: Pick<Context, "config">,
  { command, model }: Pick<NewJob, "command" | "model">,
): string | null {
  if (model !== undefined) return formatModelRef(requireModelRef(model, config.providers));
  const usual = command === undefined ? null : findDefaultModel(config.providers);
  return usual === null ? null : formatModelRef(usual);
}

function makeWork(ctx: JobContext, input: NewJob): JobWork {
  if (input.command !== undefined) {
    const seconds = input.seconds ?? ctx.config.policy.work.commandSeconds;
    const folder = requireFolder(input.folder ?? ".", isElsewhere(ctx, input.machine));
    return withMachine(ctx, { kind: "command", command: requireCommand(input.command), folder, seconds }, input);
  }
  if (findBuiltInJob(input.name) !== null) {
    requireCommandWork(input.name, input);
    return { kind: "built-in", name: input.name };
  }
  const names = builtInJobs.map((one) => one.name).join(", ");
  throw new OldhandError("usage", `--command is missing, and "${input.name}" is not a job that comes with oldhand`, {
    hint: `those are ${names}`,
  });
}

/** What the owner must know of a job that another machine runs: nothing of it can be checked here. */
export async function warnOfOtherMachine(
  ctx: Pick<Context, "config" | "db">,
  { id, work }: Pick<Job, "id" | "work">,
): Promise<readonly string[]> {
  const machine = machineOf({ work });
  if (machine === null || work.kind !== "command" || !isElsewhere(ctx, machine)) return [];
  const known = await listKnownMachines(ctx.db, id);
  const names = [...new Set([...known, ownMachineName(ctx.config)])].slice(0, MOST_NAMED);
  const isKnown = known.includes(machine);
  return [
    ...(isKnown ? [] : [`no machine called ${machine} was seen yet (known are ${names.join(", ")})`]),
    `the folder ${work.folder} must be on ${machine}: it was not looked for`,
  ];
}

const MOST_NAMED = 10;

type CommandWork = Extract<JobWork, { kind: "command" }>;
type Where = Pick<NewJob, "machine" | "anywhere">;

/**
 * In a team, a command runs on the machine where it was added, unless its owner says otherwise: others do not have its
 * folder and its programs, and did not ask for it. A mind in a file belongs to one machine, whatever its name is later; it
 * is recorded for the time when the mind is restored into that of a team.
 */
function withMachine(ctx: JobContext, work: CommandWork, { machine, anywhere }: Where): CommandWork {
  if (machine !== undefined && anywhere === true)
    throw new OldhandError("usage", "--machine and --anywhere exclude each other");
  const { machine: _machine, addedOn: _addedOn, anywhere: _anywhere, ...plain } = work;
  if (anywhere === true) return { ...plain, anywhere };
  if (machine !== undefined) return { ...plain, machine: requireMachineName(machine) };
  const here = ownMachineName(ctx.config);
  return ctx.store.kind === "postgres" ? { ...plain, machine: here } : { ...plain, addedOn: here };
}

function requireMachineName(name: string): string {
  if (toName(name) === name) return name;
  throw new OldhandError("usage", `"${name}" is not the name of a machine`, {
    hint: "small letters, digits, dots, hyphens and underscores; oldhand config get team.machine shows this one's",
  });
}

/** True for a machine whose disk is not this one. */
function isElsewhere(ctx: Pick<Context, "config">, machine: string | null | undefined): boolean {
  return machine != null && machine !== ownMachineName(ctx.config);
}

/** The folder of another machine may be written in the way of that machine, and cannot be looked for here. */
function requireFolder(typed: string, elsewhere: boolean): string {
  if (elsewhere && (posix.isAbsolute(typed) || win32.isAbsolute(typed))) return typed;
  const folder = resolve(typed);
  if (!elsewhere && !existsSync(folder)) throw new OldhandError("usage", `the folder ${folder} is not there`);
  return folder;
}

function requireCommand(command: string): string {
  const fault = findCommandFault(command);
  if (fault === null) return command;
  throw new OldhandError("usage", fault, {
    hint: "put it in a file or a variable, and name that: $TOKEN, or $(cat FILE)",
  });
}

function requireCommandWork(
  name: string,
  { folder, seconds, machine, anywhere }: Pick<NewJob, "folder" | "seconds" | "machine" | "anywhere">,
): void {
  const given = Object.entries({ folder, seconds, machine, anywhere }).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw new OldhandError("usage", `${name} comes with oldhand, so it has no --${given[0]}`, {
    hint: "it runs on any machine that has a worker; only a job with a --command has a place of its own",
  });
}

/** What the owner gave for a job that exists. */
export type JobEdit = Omit<NewJob, "name" | "late"> & { readonly late?: Job["late"] | undefined };

/** The job after an edit. */
export function editJob(ctx: JobContext, job: Job, input: JobEdit): Job {
  const schedule = { cron: input.cron ?? job.cron, zone: input.zone ?? job.zone };
  requireSchedule(schedule, ctx.clock.now());
  const model = input.model === undefined ? job.model : pinModel(ctx, { command: "", model: input.model });
  return { ...job, ...schedule, work: editWork(ctx, job, input), late: input.late ?? job.late, model };
}

function editWork(ctx: JobContext, { name, work }: Job, input: JobEdit): JobWork {
  if (work.kind === "built-in") {
    if (input.command !== undefined)
      throw new OldhandError("usage", `${name} comes with oldhand, so its work cannot be changed`, {
        hint: "oldhand job add NAME --command adds a job of your own",
      });
    requireCommandWork(name, input);
    return work;
  }
  const machine = input.anywhere === true ? null : (input.machine ?? machineOf({ work }));
  const edited: CommandWork = {
    ...work,
    command: input.command === undefined ? work.command : requireCommand(input.command),
    folder: input.folder === undefined ? work.folder : requireFolder(input.folder, isElsewhere(ctx, machine)),
    seconds: input.seconds ?? work.seconds,
  };
  return input.machine === undefined && input.anywhere !== true ? edited : withMachine(ctx, edited, input);
}

function requireSchedule(schedule: { readonly cron: string; readonly zone: string }, now: number): void {
  const fault = findScheduleFault(schedule, now);
  if (fault !== null) throw new OldhandError("usage", fault);
}
