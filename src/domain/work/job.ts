/** What happens to slots that nobody could run in time: left out, run once, or run one after the other. */
export const latePolicies = ["skip", "once", "all"] as const;
export type LatePolicy = (typeof latePolicies)[number];

/** What a job does. */
export type JobWork =
  | { readonly kind: "built-in"; readonly name: string }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly folder: string;
      readonly seconds: number;
      /** The only machine that runs it. Absent: any. */
      readonly machine?: string;
      /** Where it was added, in a mind of one machine: its machine if the mind becomes that of a team. */
      readonly addedOn?: string;
      /** Its owner said that any machine may run it. */
      readonly anywhere?: true;
    };

/** A scheduled piece of work. Its changes are journalled. */
export interface Job {
  readonly id: string;
  readonly name: string;
  readonly cron: string;
  readonly zone: string;
  readonly work: JobWork;
  readonly late: LatePolicy;
  /** The model that its work uses, chosen when it was made; null if it uses none. */
  readonly model: string | null;
  readonly enabled: boolean;
  readonly madeAt: number;
}

/** The only machine that runs a job; null: any that has a worker. */
export function machineOf({ work }: Pick<Job, "work">): string | null {
  return work.kind === "command" ? (work.machine ?? null) : null;
}

export function runsOn(job: Pick<Job, "work">, machine: string): boolean {
  return (machineOf(job) ?? machine) === machine;
}

/** The machine that a command belongs to from now on, when its mind becomes that of a team; null: nothing changes. */
export function machineInTeam({ work }: Pick<Job, "work">, here: string): string | null {
  if (work.kind !== "command" || work.machine !== undefined || work.anywhere === true) return null;
  return work.addedOn ?? here;
}

/** An earlier state of a job in a team: what was made before there was a team does not take its machine away. */
export function keepMachine(now: Job | null, to: Job): Job {
  const machine = to.work.kind === "command" && now !== null ? machineOf(now) : null;
  const kept = to.work.kind === "command" ? (to.work.addedOn ?? machine) : null;
  if (to.work.kind !== "command" || kept === null || machineInTeam(to, kept) === null) return to;
  const { addedOn: _addedOn, ...work } = to.work;
  return { ...to, work: { ...work, machine: machine ?? kept } };
}

const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/;

/** What is wrong with the name of a job; null if it can be used. */
export function findJobNameFault(name: string): string | null {
  return NAME.test(name)
    ? null
    : `"${name}" is not a name for a job: small letters, digits, dots, hyphens and underscores, at most 64`;
}
