import { z } from "zod";
import type { Context } from "../../context.ts";
import { type Fact, factId, factKinds } from "../../domain/fact/fact.ts";
import { describeFact } from "../../domain/fact/fact-message.ts";
import { iso } from "../../lib/clock.ts";
import { OldhandError } from "../../lib/errors.ts";
import { groupBy } from "../../lib/group-by.ts";
import { plural } from "../../lib/text.ts";
import { defineOperation } from "../../operation.ts";
import type { Db } from "../../store/engine/db.ts";
import { getEventsByIds } from "../../store/events/events.ts";
import { countFactCalls, type FactCallCount, forgetFact, listFacts } from "../../store/derived/facts.ts";
import { locateManifest } from "../../recall/calls/fact-state.ts";
import { LEAST_SESSIONS } from "../../recall/facts-at-start.ts";
import { listCurrentFacts } from "../../recall/calls/facts-before-call.ts";
import { finishForgetting, forgottenShape, formatForgotten } from "../shared/forgotten.ts";
import { limitInput, workspaceInput } from "../shared/shapes.ts";
import { isEventVisible } from "../../domain/trust/visibility.ts";
import { requireVisible } from "../shared/visibility.ts";

const counted = z
  .object({ calls: z.number(), failed: z.number().describe("how many of those calls still failed") })
  .meta({ id: "FactCalls" });

export const factShape = z
  .object({
    id: z.string(),
    workspace: z.string(),
    kind: z.enum(factKinds),
    subject: z.string(),
    text: z.string(),
    instead: z.string().nullable().describe("what worked instead, if recorded"),
    first: z.string(),
    last: z.string(),
    sessions: z.number().describe("in how many sessions a call failed on it"),
    ref: z.object({ session: z.string(), seq: z.number() }).nullable().describe("the last call that showed it"),
    told: counted.describe("calls that it was shown with"),
    control: counted.describe("such calls in the control group, which is shown nothing"),
  })
  .meta({ id: "Fact" });

const list = defineOperation({
  name: "facts list",
  summary:
    "Lists what failed calls showed of a workspace: missing paths, programs, scripts and remotes, folders read as files, files too large to read at once.",
  effect: "touches",
  byWorkspace: true,
  prepare: ["events"],
  input: z.object({
    workspace: workspaceInput("only facts of this folder's workspace; `.` is the current folder"),
    limit: limitInput(50),
  }),
  output: z.array(factShape),
  run: async ({ db, clock }, input) => {
    const facts = await listCurrentFacts({ db, clock }, await listFacts(db, input.workspace ?? null));
    return factsOut(db, facts.slice(0, input.limit));
  },
  render: (facts, input) =>
    facts.length === 0
      ? "No facts hold now. A failed call adds one, for example when a path or program is missing."
      : [
          ...[...groupBy(facts, (fact) => fact.workspace)].map(([workspace, some]) =>
            [`${workspace}: ${plural(some.length, "fact")}`, ...some.map((fact) => `  ${formatFactLine(fact)}`)].join(
              "\n",
            ),
          ),
          ...(facts.length === input?.limit
            ? [`the latest ${plural(facts.length, "fact")}; --limit N shows more`]
            : []),
        ].join("\n\n"),
});

async function factsOut(db: Db, shown: readonly Fact[]): Promise<z.infer<typeof factShape>[]> {
  const counts = await countFactCalls(db);
  const events = new Map(
    (
      await getEventsByIds(
        db,
        shown.map((fact) => fact.event),
      )
    ).map((event) => [event.id, { session: event.session, seq: event.seq }]),
  );
  return shown.map((fact) => ({
    id: factId(fact),
    workspace: fact.workspace,
    kind: fact.kind,
    subject: fact.subject,
    text: describeFact(locateManifest(fact)),
    instead: fact.instead,
    first: iso(fact.first),
    last: iso(fact.at),
    sessions: fact.sessions,
    ref: events.get(fact.event) ?? null,
    told: countCalls(counts, fact, true),
    control: countCalls(counts, fact, false),
  }));
}

/** Accepts an id or its beginning. */
async function findFact(db: Db, typed: string): Promise<Fact | null> {
  const meant = (await listFacts(db, null)).filter((fact) => factId(fact).startsWith(typed));
  if (meant.length > 1)
    throw new OldhandError("usage", `${typed} is ambiguous: ${meant.map(factId).join(", ")}`, {
      hint: "type more of the id",
    });
  return meant[0] ?? null;
}

/** The fact as output. A fact has no changes, only the calls that showed it. */
export async function findFactOut(
  ctx: Pick<Context, "db" | "within">,
  typed: string,
): Promise<z.infer<typeof factShape> | null> {
  const fact = typed.startsWith("f_") ? await findFact(ctx.db, typed) : null;
  if (fact === null) return null;
  requireVisible(isEventVisible(ctx, fact.workspace), `fact ${factId(fact)}`);
  return (await factsOut(ctx.db, [fact]))[0] ?? null;
}

function countCalls(counts: readonly FactCallCount[], fact: Fact, wasShown: boolean): z.infer<typeof counted> {
  const found = counts.find((one) => one.wasShown === wasShown && one.fact === factId(fact));
  return { calls: found?.calls ?? 0, failed: found?.failed ?? 0 };
}

export function formatFactLine({ id, text, sessions, told, control }: z.infer<typeof factShape>): string {
  const said =
    told.calls === 0
      ? ""
      : ` It was shown with ${plural(told.calls, "call")}; ${told.failed} of these failed (some hosts show it only with the result).`;
  const without =
    control.calls === 0
      ? ""
      : ` The control group made ${plural(control.calls, "such call")} without it, and ${control.failed} of these failed.`;
  const later = sessions < LEAST_SESSIONS ? ` (from ${LEAST_SESSIONS} on, it is also shown at session start)` : "";
  return `${id}  ${text} Calls failed on it in ${plural(sessions, "session")}${later}.${said}${without}`;
}

const forget = defineOperation({
  name: "facts forget",
  summary: "Removes a fact. A later failure can add it again.",
  effect: "destroys",
  surfaces: ["cli"],
  input: z.object({ fact: z.string().min(1).describe("the fact's id, as in `oldhand facts`, or its beginning") }),
  positional: ["fact"],
  output: forgottenShape,
  run: async (ctx, input) => {
    const id = await forgetFactNamed(ctx, input.fact);
    if (id === null) throw noFact(input.fact);
    return finishForgetting(ctx, id);
  },
  render: formatForgotten,
});

export function noFact(typed: string): OldhandError {
  return new OldhandError("not-found", `there is no fact ${typed}`, { hint: "oldhand facts lists them" });
}

/** Returns the full id; null if no fact has the given one. */
export async function forgetFactNamed({ db }: Pick<Context, "db">, typed: string): Promise<string | null> {
  const fact = typed.startsWith("f_") ? await findFact(db, typed) : null;
  if (fact === null) return null;
  await forgetFact(db, fact);
  return factId(fact);
}

export const factOperations = [list, forget] as const;
