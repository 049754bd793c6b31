import { z } from "zod";
import type { Context } from "../../context.ts";
import {
  type Cap,
  type CapKind,
  capId,
  capKinds,
  defaultDayCap,
  limitOn,
  spendingDay,
  usedOf,
} from "../../domain/model/caps.ts";
import { formatDollars, formatDollarsDown, toDollars, toNanos } from "../../domain/model/money.ts";
import { OldhandError } from "../../lib/errors.ts";
import { defineOperation } from "../../operation.ts";
import { applyChange, makeProvenance } from "../../store/journal/journal.ts";
import { type CapUsage, listCapUsage } from "../../store/models/cap-usage.ts";
import { capNoun, listCaps } from "../../store/nouns/caps.ts";
import { listJobs } from "../../store/nouns/jobs.ts";
import { changeOut, changeShape, formatUndoHint } from "../shared/shapes.ts";
import { agentsInSight } from "./agents-in-sight.ts";

const capShape = z
  .object({
    id: z.string(),
    kind: z.enum(capKinds),
    name: z.string().describe("name of the agent, job or goal; empty for day"),
    limit: z.number().nullable().describe("the limit today in dollars, including the extension; null: no limit"),
    extension: z.number().describe("dollars added for today only"),
    spent: z.number(),
    reserved: z.number().describe("dollars reserved by calls under way"),
    lost: z.number().describe("dollars that processes may have spent before they died"),
    left: z.number().nullable(),
    counts: z.enum(["all", "paid"]).describe("paid: calls paid by a subscription do not count"),
    strict: z.boolean().describe("lost dollars count at once"),
    isDefault: z.boolean().describe("the owner has set no cap for the day"),
  })
  .meta({ id: "ModelCap" });

const list = defineOperation({
  name: "models caps",
  summary: "Shows what models may cost per day, agent, job and goal, and what is spent and reserved.",
  effect: "read",
  input: z.object({}),
  output: z.object({ day: z.string().describe("in UTC"), caps: z.array(capShape) }),
  run: async (ctx) => {
    const now = ctx.clock.now();
    const agents = agentsInSight(ctx);
    const all = await listCapUsage(ctx.db, now);
    const seen =
      agents === undefined ? all : all.filter(({ cap }) => cap.kind === "agent" && agents.includes(cap.name));
    return { day: spendingDay(now), caps: seen.map((one) => capOut(one, spendingDay(now))) };
  },
  render: ({ day, caps }) =>
    [
      `on ${day} (UTC)`,
      ...caps.map(formatCap),
      "oldhand models caps set day 5 sets a cap; oldhand models caps extend day 5 raises it.",
    ].join("\n"),
});

const target = {
  kind: z.enum(capKinds).describe("what the cap is for"),
  name: z.string().min(1).optional().describe("name of the agent, job or goal; not for day"),
};
const amountInput = z.union([z.number(), z.string().min(1)]).optional();
const decision = z
  .object({
    cap: capShape,
    change: changeShape.nullable(),
    warning: z.string().nullable().describe("set if the cap limits nothing yet, or if an extension ends"),
  })
  .meta({ id: "CapDecision" });

const set = defineOperation({
  name: "models caps set",
  summary:
    "Sets a cap in dollars: `set day 5`, `set agent NAME 1`, `set job NAME 2`, `set goal NAME 10`; `none` lifts it.",
  effect: "write",
  label: "Set a cap",
  input: z.object({
    ...target,
    amount: amountInput.describe("dollars, or `none` for no limit"),
    paidOnly: z.boolean().default(false).describe("do not count calls paid by a subscription"),
    strict: z.boolean().default(false).describe("count at once what processes may have spent before they died"),
  }),
  positional: ["kind", "name", "amount"],
  expects: ["amount"],
  output: decision,
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const { kind, name, amount } = readTarget(input);
    const limit = amount === "none" ? null : parseAmount(amount);
    const day = spendingDay(ctx.clock.now());
    const ended = (await listCaps(ctx.db)).find(({ id }) => id === capId(kind, name))?.extension ?? null;
    const counts = input.paidOnly ? ("paid" as const) : ("all" as const);
    const decided = await decide(ctx, { kind, name }, "models caps set", () => ({
      ...{ id: capId(kind, name), kind, name, limit, counts, isStrict: input.strict, extension: null },
    }));
    return ended?.day === day && decided.change !== null
      ? { ...decided, warning: [decided.warning, explainEndedExtension(ended.amount)].filter(Boolean).join("; ") }
      : decided;
  },
  notes: noteWarning,
  render: formatDecision,
});

const extend = defineOperation({
  name: "models caps extend",
  summary:
    "Raises a cap by an amount in dollars: for a day or an agent until the end of today, for a job or a goal permanently.",
  effect: "write",
  label: "Extend a cap",
  input: z.object({ ...target, amount: amountInput.describe("dollars") }),
  positional: ["kind", "name", "amount"],
  expects: ["amount"],
  output: decision,
  isOwnerOnly: () => true,
  run: (ctx, input) => {
    const { kind, name, amount } = readTarget(input);
    const more = parseAmount(amount);
    if (more === 0) throw new OldhandError("usage", "an extension by $0 changes nothing", { hint: "such as: day 5" });
    const day = spendingDay(ctx.clock.now());
    return decide(ctx, { kind, name }, "models caps extend", (before) => {
      const cap = before ?? (kind === "day" ? defaultDayCap : null);
      if (cap === null || cap.limit === null)
        throw new OldhandError("not-found", `there is no cap for ${capId(kind, name)} to extend`, {
          hint: "oldhand models caps lists them",
        });
      if (kind === "job" || kind === "goal") return { ...cap, limit: addDollars(cap.limit, more) };
      const today = cap.extension?.day === day ? cap.extension.amount : 0;
      return { ...cap, extension: { day, amount: addDollars(today, more) } };
    });
  },
  notes: noteWarning,
  render: formatDecision,
});

const remove = defineOperation({
  name: "models caps remove",
  summary:
    "Removes a cap. After the cap of the day is removed, the default cap applies again; `set day none` lifts that too.",
  effect: "write",
  label: "Remove a cap",
  input: z.object(target),
  positional: ["kind", "name"],
  output: z.object({ change: changeShape }),
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const id = capId(input.kind, requireName(input.kind, input.name));
    const made = await applyChange(
      ctx.db,
      { noun: capNoun, id },
      makeProvenance(ctx, "models caps remove"),
      () => null,
    );
    if (made === null)
      throw new OldhandError("not-found", `there is no cap for ${id}`, { hint: "oldhand models caps lists them" });
    return { change: changeOut(made) };
  },
  render: ({ change }) => `Removed the cap ${change.subject}.\n${formatUndoHint([change.id])}`,
});

export const modelCapOperations = [list, set, extend, remove] as const;

async function decide(
  ctx: Context,
  { kind, name }: { readonly kind: CapKind; readonly name: string },
  verb: string,
  next: (before: Cap | null) => Cap,
): Promise<z.input<typeof decision>> {
  const id = capId(kind, name);
  const made = await applyChange(ctx.db, { noun: capNoun, id }, makeProvenance(ctx, verb), next);
  const now = ctx.clock.now();
  const usage = (await listCapUsage(ctx.db, now)).find(({ cap }) => cap.id === id);
  if (usage === undefined) throw new OldhandError("conflict", `the cap ${id} was removed meanwhile`);
  return {
    cap: capOut(usage, spendingDay(now)),
    change: made === null ? null : changeOut(made),
    warning: kind === "job" ? await warnOfUnknownJob(ctx, name) : kind === "goal" ? warnOfGoal(name) : null,
  };
}

/** A new amount is the whole limit: an extension of before would make it another one. */
function explainEndedExtension(amount: number): string {
  return `the extension by ${formatDollars(amount)} for today ends with it`;
}

/** Without digits that only the sum of two fractions has. */
function addDollars(one: number, other: number): number {
  return toDollars(toNanos(one) + toNanos(other));
}

/** The cap may be set before the job is added. */
async function warnOfUnknownJob({ db }: Pick<Context, "db">, name: string): Promise<string | null> {
  const names = (await listJobs(db)).map((job) => job.name);
  if (names.includes(name)) return null;
  return `there is no job ${name}, so this cap limits nothing yet${names.length === 0 ? "" : `; there are ${names.join(", ")}`}`;
}

function warnOfGoal(name: string): string {
  return `oldhand has no goals yet, so this cap counts only calls that a client sends with the header x-oldhand-goal: ${name}`;
}

function noteWarning({ warning }: { readonly warning: string | null }): readonly string[] {
  return warning === null ? [] : [warning];
}

/** `day 5` has no name, so its amount arrives as the name. */
function readTarget(input: {
  readonly kind: CapKind;
  readonly name?: string | undefined;
  readonly amount?: number | string | undefined;
}): { readonly kind: CapKind; readonly name: string; readonly amount: number | string } {
  const isShort = input.kind === "day" && input.amount === undefined;
  const amount = isShort ? input.name : input.amount;
  // `agent 5`: what came is the amount.
  if (amount === undefined && input.name !== undefined && (input.name === "none" || AMOUNT.test(input.name)))
    requireName(input.kind, undefined);
  if (amount === undefined)
    throw new OldhandError("usage", "the amount is missing", {
      hint: `such as: ${input.kind === "day" ? "day 5" : `${input.kind} NAME 5`}`,
    });
  return { kind: input.kind, name: requireName(input.kind, isShort ? undefined : input.name), amount };
}

function requireName(kind: CapKind, name: string | undefined): string {
  if (kind === "day" && name !== undefined)
    throw new OldhandError("usage", `a cap for the day has no name, but "${name}" was given`, {
      hint: "such as: day 5",
    });
  if (kind !== "day" && name === undefined)
    throw new OldhandError("usage", `the name of the ${kind} is missing`, { hint: `such as: ${kind} NAME 5` });
  return name ?? "";
}

const AMOUNT = /^\$?\d+(?:\.\d+)?$/;

function parseAmount(typed: number | string): number {
  const amount = typeof typed === "number" ? typed : AMOUNT.test(typed) ? Number(typed.replace("$", "")) : Number.NaN;
  if (!(amount >= 0 && amount <= 1_000_000))
    throw new OldhandError("usage", `"${typed}" is not an amount`, { hint: "dollars, such as: 5, 0.50" });
  if (amount > 0 && toNanos(amount) === 0)
    throw new OldhandError("usage", `"${typed}" is too small: the smallest amount is $0.000000001`, {
      hint: "0 allows only free models",
    });
  return amount;
}

function capOut(usage: CapUsage, day: string): z.input<typeof capShape> {
  const { cap, isDefault, ...budget } = usage;
  const limit = limitOn(cap, day);
  return {
    id: cap.id,
    kind: cap.kind,
    name: cap.name,
    limit: limit === null ? null : toDollars(limit),
    extension: cap.extension?.day === day ? cap.extension.amount : 0,
    spent: toDollars(budget.spent),
    reserved: toDollars(budget.reserved),
    lost: toDollars(budget.lost),
    left: limit === null ? null : toDollars(Math.max(0, limit - usedOf(budget, limit, cap.isStrict))),
    counts: cap.counts,
    strict: cap.isStrict,
    isDefault,
  };
}

function formatCap(cap: z.output<typeof capShape>): string {
  const parts = [
    `${formatDollars(cap.spent)} spent`,
    ...(cap.reserved > 0 ? [`${formatDollars(cap.reserved)} reserved`] : []),
    ...(cap.lost > 0 ? [`up to ${formatDollars(cap.lost)} lost`] : []),
    ...(cap.left === null ? [] : [`${formatDollarsDown(cap.left)} left`]),
  ];
  const marks = [
    ...(cap.isDefault ? ["default"] : []),
    ...(cap.extension > 0 ? [`${formatDollars(cap.extension)} more today`] : []),
    ...(cap.counts === "paid" ? ["subscriptions not counted"] : []),
    ...(cap.strict ? ["strict"] : []),
  ];
  const limit = cap.limit === null ? "no limit" : formatDollars(cap.limit);
  return `${cap.id.padEnd(20)} ${limit.padStart(8)}  ${parts.join(", ")}${marks.length > 0 ? ` (${marks.join("; ")})` : ""}`;
}

function formatDecision({ cap, change }: z.output<typeof decision>): string {
  return change === null ? `Nothing to change: ${formatCap(cap)}` : `${formatCap(cap)}\n${formatUndoHint([change.id])}`;
}
