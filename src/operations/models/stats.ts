import { z } from "zod";
import { getBreakerState, openUntil } from "../../domain/model/breaker.ts";
import { explainRetired } from "../../domain/model/retired-model.ts";
import { listRetiredHere } from "../../models/gateway/note-retired.ts";
import { formatDollars } from "../../domain/model/money.ts";
import { routePolicy } from "../../domain/route/policy.ts";
import { fadeTally, type Tally } from "../../domain/route/tally.ts";
import { iso } from "../../lib/clock.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import { listBreakers } from "../../store/models/breakers.ts";
import { listTallies } from "../../store/models/tallies.ts";
import { listRoutePreferences } from "../../store/nouns/route-preferences.ts";

const tallyShape = z
  .object({
    taskType: z.string(),
    complexity: z.string(),
    model: z.string(),
    attempt: z.enum(["first", "later"]).describe("later: tasks that another model failed, according to a check"),
    tries: z.number().describe("calls that tried the model; a repetition within a call does not count"),
    explored: z.number().describe("tries that only explored"),
    outcomes: z.number().describe("weight of the outcomes; a guess counts a quarter, old ones fade"),
    judged: z.number().describe("the part of it that a check or a person judged; the rest is guessed"),
    quality: z.number().nullable().describe("mean of the outcomes, from 0 to 1"),
    verdictQuality: z.number().nullable().describe("mean of the verdicts alone; null if there is none"),
    cost: z.number().nullable().describe("mean cost of a call in dollars"),
    seconds: z.number().nullable().describe("mean time of a call"),
  })
  .meta({ id: "RouteTally" });

const stats = defineOperation({
  name: "models stats",
  summary:
    "Shows what the router has learned about each model by kind of task, failing providers, models that are left out, and preferences.",
  effect: "read",
  input: z.object({
    taskType: z.string().min(1).optional().describe("only this kind of task"),
  }),
  positional: ["taskType"],
  output: z.object({
    tallies: z.array(tallyShape),
    providers: z
      .array(
        z.object({
          provider: z.string(),
          state: z.enum(["closed", "open", "half-open"]).describe("open: it is not called now"),
          failures: z.number().describe("in a row"),
          why: z.string().nullable(),
          until: z.string().nullable(),
        }),
      )
      .describe("providers that failed since their last success"),
    retired: z
      .array(z.object({ model: z.string(), at: z.string(), message: z.string(), why: z.string() }))
      .describe("models that are left out because their provider does not know them"),
    preferences: z
      .array(
        z.object({ taskType: z.string(), complexity: z.string(), model: z.string(), why: z.string(), at: z.string() }),
      )
      .describe("models that go first for a kind of task, by `models evolve --write`"),
  }),
  run: async ({ db, clock, config }, { taskType }) => {
    const now = clock.now();
    const tallies = (await listTallies(db)).filter((one) => taskType === undefined || one.taskType === taskType);
    const breakers = (await listBreakers(db)).filter(({ failures }) => failures > 0);
    return {
      tallies: tallies.map((one) => tallyOut(fadeTally(one, now, routePolicy))),
      providers: breakers.map((one) => ({
        provider: one.provider,
        state: getBreakerState(one, now),
        failures: one.failures,
        why: one.why,
        until: getBreakerState(one, now) === "open" ? iso(openUntil(one) ?? now) : null,
      })),
      retired: (await listRetiredHere(db, config.providers)).map((one) => ({
        model: one.id,
        at: iso(one.at),
        message: one.message,
        why: explainRetired(one),
      })),
      preferences: (await listRoutePreferences(db)).map((one) => ({
        taskType: one.taskType,
        complexity: one.complexity,
        model: one.model,
        why: one.why,
        at: iso(one.at),
      })),
    };
  },
  render: ({ tallies, providers, retired, preferences }) => {
    const lines = [
      ...tallies.map(formatTally),
      ...providers.map(
        (one) =>
          `${one.provider} failed ${plural(one.failures, "time")} in a row${one.state === "open" ? `: not called until ${one.until ?? "later"}; to try it now: oldhand models test ${one.provider}/MODEL` : ""}`,
      ),
      ...retired.map((one) => `${one.model} is ${one.why}`),
      ...preferences.map((one) => `${one.model} goes first for ${one.complexity} ${one.taskType} tasks: ${one.why}`),
    ];
    return lines.length === 0 ? NOTHING_LEARNED : lines.join("\n");
  },
});

const NOTHING_LEARNED =
  "The router has learned nothing yet. It learns from calls that it routes, not from clients that run through oldhand.\noldhand models calls lists all calls.";

export const modelStatOperations = [stats] as const;

function tallyOut(one: Tally): z.infer<typeof tallyShape> {
  return {
    taskType: one.taskType,
    complexity: one.complexity,
    model: one.model,
    attempt: one.attempt,
    tries: one.tries,
    explored: one.explored,
    outcomes: round(one.outcomes, 2),
    judged: round(one.judged, 2),
    quality: one.outcomes > 0 ? round(one.quality / one.outcomes, 3) : null,
    // Guesses have quality 0.
    verdictQuality: one.judged >= LEAST_JUDGED ? round(Math.min(1, one.quality / one.judged), 3) : null,
    cost: one.calls > 0 ? round(one.cost / one.calls, 6) : null,
    seconds: one.calls > 0 ? round(one.latencyMs / one.calls / 1_000, 2) : null,
  };
}

/** Below this, a verdict has faded. */
const LEAST_JUDGED = 0.5;

function formatTally(one: z.infer<typeof tallyShape>): string {
  const kind = `${one.complexity} ${one.taskType}${one.attempt === "later" ? " (after a failure)" : ""}`;
  const quality =
    one.verdictQuality === null
      ? "none judged"
      : `${plural(Math.max(1, Math.round(one.judged)), "verdict")} with a mean quality of ${one.verdictQuality.toFixed(2)}`;
  const cost = one.cost === null ? "" : `, ${formatDollars(one.cost)} and ${one.seconds ?? 0} s a call`;
  return `${kind}  ${one.model}  ${plural(one.tries, "call")}, ${quality}${cost}`;
}

function round(value: number, places: number): number {
  return Number(value.toFixed(places));
}
