import { z } from "zod";
import type { Context } from "../context.ts";
import {
  runMaintenance,
  type RuleStep,
  runMaintenanceTask,
  type MaintenanceTask,
} from "../distil/maintenance/maintenance.ts";
import { plural } from "../lib/text.ts";
import { defineOperation } from "../operation.ts";
import { summariseQuietSessions } from "../record/session-summaries.ts";
import { isScopeVisible } from "../domain/trust/visibility.ts";

const write = z.boolean().default(false).describe("write the changes");
const dryRun = z.boolean().default(false).describe("only show the changes (the default)");

const stepShape = z
  .object({
    step: z.string(),
    rule: z.string(),
    text: z.string(),
    reason: z.string(),
    changes: z.record(z.string(), z.object({ from: z.unknown(), to: z.unknown() })),
  })
  .meta({ id: "MaintenanceStep" });

function stepOut({ step, before, after, reason }: RuleStep): z.infer<typeof stepShape> {
  const fields = ["status", "level", "confidence", "salience", "text", "mergedInto"] as const;
  const changed = fields.filter((field) => before[field] !== after[field]);
  return {
    step,
    rule: after.id,
    text: before.text,
    reason,
    changes: Object.fromEntries(changed.map((field) => [field, { from: before[field], to: after[field] }])),
  };
}

function filterVisible(ctx: Pick<Context, "within">, steps: readonly RuleStep[]): readonly RuleStep[] {
  return steps.filter(({ after }) => isScopeVisible(ctx, after.scope));
}

function formatStep(one: z.infer<typeof stepShape>): string {
  const changes = Object.entries(one.changes)
    .filter(([field]) => field !== "text")
    .map(([field, { from, to }]) => `${field} ${String(from)} → ${String(to)}`);
  return `${one.step.padEnd(9)} ${one.rule}  ${changes.join(", ")}  (${one.reason})`;
}

function formatClosing(written: boolean, steps: readonly unknown[]): string {
  if (steps.length === 0) return "Nothing to change.";
  return written ? `Changed: ${plural(steps.length, "step")}.` : "Nothing was written; add --write to apply.";
}

function maintenanceOperation<Which extends MaintenanceTask>(which: Which, label: string, summary: string) {
  return defineOperation({
    name: which,
    label,
    summary,
    effect: "write",
    prepare: ["events"],
    input: z.object({ write, "dry-run": dryRun }),
    output: z.object({ written: z.boolean(), steps: z.array(stepShape) }),
    run: async (ctx, input) => {
      const { steps, written } = await runMaintenanceTask(ctx, which, { write: input.write && !input["dry-run"] });
      return { written, steps: filterVisible(ctx, steps).map(stepOut) };
    },
    render: ({ steps, written }) => [...steps.map(formatStep), formatClosing(written, steps)].join("\n"),
  });
}

const maintainMind = defineOperation({
  name: "maintain",
  label: "Run maintenance",
  summary:
    "Runs distil, reinforce, promote, decay and the effect test, at most once in `distil.maintainHours` hours. Safe to run after every session.",
  effect: "write",
  prepare: ["events"],
  input: z.object({
    write,
    "dry-run": dryRun,
    force: z.boolean().default(false).describe("run even if it ran recently"),
  }),
  output: z.object({
    skipped: z.string().nullable(),
    written: z.boolean(),
    proposed: z.number(),
    steps: z.array(stepShape),
  }),
  run: async (ctx, input) => {
    const writes = input.write && !input["dry-run"];
    const { skipped, proposed, steps } = await runMaintenance(ctx, { write: writes, force: input.force });
    if (writes && skipped === null) await summariseQuietSessions(ctx);
    return { skipped, written: writes && skipped === null, proposed, steps: filterVisible(ctx, steps).map(stepOut) };
  },
  render: ({ skipped, proposed, steps, written }) =>
    skipped !== null
      ? `Nothing done: ${skipped}. --force runs it anyway.`
      : proposed === 0 && steps.length === 0
        ? "Nothing to do: no new rule, and no rule to change."
        : [`${plural(proposed, "new rule")} proposed.`, ...steps.map(formatStep), formatClosing(written, steps)].join(
            "\n",
          ),
});

export const maintenanceOperations = [
  maintenanceOperation(
    "promote",
    "Promote rules",
    "Approves candidates with enough evidence, and merges duplicate rules.",
  ),
  maintenanceOperation(
    "decay",
    "Let rules decay",
    "Lowers the confidence of rules not seen for long, or learned on an older release of their host. Reactivates dormant rules whose pattern recurs.",
  ),
  maintenanceOperation(
    "reinforce",
    "Reinforce rules",
    "Counts whether sessions followed the rules they were shown. Repeated violations raise a rule's level.",
  ),
  maintainMind,
] as const;
