import type { Context } from "../context.ts";
import type { Event } from "../domain/event.ts";
import { newSituation, type Situation } from "../domain/situation.ts";
import { groupOf, headsOf } from "../domain/step.ts";
import type { Db } from "../store/db.ts";
import { callsOfSession, eventsAfter } from "../store/events.ts";
import { readMeta, takeMark, writeMeta } from "../store/meta.ts";
import { addTries, type Try } from "../store/tries.ts";

const BATCH = 2_000;
const MOST_SESSIONS = 4_000;
const MARK = "tried";

/** Brings the tries up to what has been digested: each new call once, with the situation it was made in. */
export async function catchUpTries(world: Pick<Context, "db">): Promise<number> {
  const situations = new Situations();
  for (let total = 0; ;) {
    const done = await world.db.tx((tx) => oneBatch(tx, situations));
    total += done.calls;
    if (done.last) return total;
  }
}

async function oneBatch(tx: Db, situations: Situations): Promise<{ calls: number; last: boolean }> {
  const from = await takeMark(tx, MARK);
  const upTo = Number((await readMeta(tx, "digested")) ?? 0);
  const events = await eventsAfter(tx, from, upTo, BATCH);
  const calls = events.filter(isTold);
  const tries: Try[] = [];
  for (const call of calls) {
    const situation = await situations.of(tx, call, from);
    const state = [...situation.before(call)];
    situation.after(call);
    if (!counts(call)) continue;
    for (const head of headsOf(call))
      tries.push({ group: groupOf(call.tool, head), event: call.id, failed: isMistake(call), state });
  }
  await addTries(tx, tries);
  const end = events.at(-1)?.id;
  if (end !== undefined) await writeMeta(tx, MARK, String(end));
  return { calls: calls.length, last: events.length < BATCH };
}

type Told = Event & { readonly tool: string };

function isTold(event: Event): event is Told {
  return event.kind === "call" && event.tool !== null;
}

/** What was stopped by somebody tells nothing of whether it would have worked. */
function counts(call: Event): boolean {
  return call.outcome === "ok" || call.outcome === "failed";
}

function isMistake(call: Event): boolean {
  return call.outcome === "failed" && !call.benign;
}

/** The situations of the sessions at hand; of one that began before this run, what it did until then is read once. */
class Situations {
  private readonly bySession = new Map<string, Situation>();

  async of(tx: Db, call: Told, from: number): Promise<Situation> {
    const key = `${call.host} ${call.session}`;
    const known = this.bySession.get(key);
    if (known) return known;
    const situation = newSituation();
    if (from > 0)
      for (const before of await callsOfSession(tx, { host: call.host, id: call.session }, call.id))
        if (isTold(before)) situation.after(before);
    if (this.bySession.size >= MOST_SESSIONS) this.bySession.delete(this.bySession.keys().next().value ?? "");
    this.bySession.set(key, situation);
    return situation;
  }
}
