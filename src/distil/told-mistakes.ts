import type { Context } from "../context.ts";
import type { Event } from "../domain/event/event.ts";
import { signatureOf } from "../domain/event/signature.ts";
import { plainTool } from "../domain/text/tool-name.ts";
import { isShellTool } from "../domain/shell/command.ts";
import { iso, MINUTE } from "../lib/clock.ts";
import { oneLine } from "../lib/text.ts";
import { isKeptInBackground } from "../store/background.ts";
import { eventsByIds } from "../store/events.ts";
import { type FailureFilter, type FailureGroup, type FailurePlace, placesOfFailure } from "../store/failures.ts";
import { keep, keptOf } from "../store/kept.ts";
import { recoveriesOf } from "../store/recoveries.ts";
import type { Cost, Mistake } from "./report.ts";
import { summaryOf } from "./summary.ts";

/** What is told of a mistake besides its numbers. */
type Story = Pick<Mistake, "text" | "tool" | "head" | "workspaces" | "hosts" | "evidence" | "recovery">;

/**
 * Each with its evidence and what helped. That is looked up once after each change of a mistake; until then it is kept.
 * Where another thread looks it up, the story before the change stands until it has.
 */
export async function tellMistakes(
  db: Context["db"],
  groups: readonly FailureGroup[],
  filter: FailureFilter,
): Promise<readonly Omit<Mistake, "rule" | "noRule">[]> {
  const kept = await keptOf(
    db,
    "mistake",
    groups.flatMap((group) => (group.changed === null ? [] : [group.signature])),
  );
  const elsewhere = isKeptInBackground(db);
  const told: Omit<Mistake, "rule" | "noRule">[] = [];
  const fresh: { key: string; version: string; value: string }[] = [];
  for (const group of groups) {
    const version = `${group.changed ?? ""} ${filter.within}`;
    const known = group.changed === null ? undefined : kept.get(group.signature);
    const holds = known !== undefined && (elsewhere || known.version === version);
    const story = holds ? (JSON.parse(known.value) as Story) : await storyOf(db, group, filter);
    if (group.changed !== null && !holds && !elsewhere)
      fresh.push({ key: group.signature, version, value: JSON.stringify(story) });
    told.push({ ...numbersOf(group), ...story });
  }
  await keep(db, "mistake", fresh);
  return told;
}

function numbersOf(group: FailureGroup): Omit<Mistake, "rule" | "noRule" | keyof Story> {
  return {
    signature: group.signature,
    count: group.count,
    sessions: group.sessions,
    first: iso(group.first),
    last: iso(group.last),
    cost: costOf(group),
  };
}

function costOf(group: FailureGroup): Cost {
  return {
    calls: group.calls,
    minutes: Math.round((group.ms / MINUTE) * 10) / 10,
    tokens: Math.round(group.characters / CHARACTERS_PER_TOKEN),
  };
}

/** As good as an estimate gets without the model's own tokenizer. */
const CHARACTERS_PER_TOKEN = 4;

const EVIDENCE = 3;
/** A mistake made more often than this is told by its latest; by fewer, where another thread will look at them all. */
const LOOKED_AT = 1_000;
const LOOKED_AT_IN_PASSING = 50;

async function storyOf(db: Context["db"], group: FailureGroup, filter: FailureFilter): Promise<Story> {
  const places = await placesOfFailure(
    db,
    group.signature,
    filter,
    isKeptInBackground(db) ? LOOKED_AT_IN_PASSING : LOOKED_AT,
  );
  const chosen = evidenceFrom(places);
  const events = (await eventsByIds(db, chosen)).toSorted((a, b) => chosen.indexOf(a.id) - chosen.indexOf(b.id));
  const [newest] = events;
  return {
    text: newest ? signatureOf(plainTool(newest.tool ?? ""), newest.input, newest.error ?? "").text : "",
    tool: newest?.tool ?? "",
    head: newest?.head ?? null,
    workspaces: namesIn(places.map((place) => place.workspace)),
    hosts: namesIn(places.map((place) => place.host)),
    evidence: events.map((event) => ({
      ref: { session: event.session, seq: event.seq },
      at: iso(event.at),
      summary: summaryOf(event),
      error: oneLine(event.error ?? "", 240),
    })),
    recovery: await whatHelped(db, places, filter.within),
  };
}

/** The latest of each session, and only then others of the same. */
function evidenceFrom(places: readonly FailurePlace[]): readonly number[] {
  const sessions = new Map<string, number>();
  for (const place of places) {
    const session = `${place.host} ${place.session}`;
    if (!sessions.has(session)) sessions.set(session, place.id);
  }
  const firsts = [...sessions.values()];
  const others = places.map((place) => place.id).filter((id) => !firsts.includes(id));
  return [...firsts.slice(0, EVIDENCE), ...others].slice(0, EVIDENCE);
}

function namesIn(names: readonly (string | null)[]): readonly string[] {
  return [...new Set(names.filter((name) => name !== null))].toSorted().slice(0, 20);
}

/** The recovery that came most often; of those that came equally often the latest. */
async function whatHelped(
  db: Context["db"],
  places: readonly FailurePlace[],
  within: number,
): Promise<Mistake["recovery"]> {
  const recoveries = await recoveriesOf(
    db,
    places.map((place) => place.id),
    within,
  );
  const times = new Map<string, number>();
  for (const { through, by } of recoveries.toSorted((a, b) => b.failure - a.failure)) {
    const summary = helpOf(by, through);
    times.set(summary, (times.get(summary) ?? 0) + 1);
  }
  const [best] = [...times].toSorted((a, b) => b[1] - a[1]);
  return best ? { summary: best[0], times: best[1] } : null;
}

/** Of a command its text; of an edit what came before it, since the edit itself is never the same twice. */
function helpOf(by: Event, through: string | null): string {
  if (by.tool !== null && isShellTool(by.tool)) return summaryOf(by);
  const tool = plainTool(by.tool ?? "");
  const before = through?.split(", ").map(plainTool).join(", ");
  return before === undefined ? `${tool} again` : `${before}, then ${tool}`;
}
