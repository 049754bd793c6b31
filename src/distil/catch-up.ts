import type { Context } from "../context.ts";
import { isShellTool, shellTextOf } from "../domain/command.ts";
import { signatureOf } from "../domain/signature.ts";
import { newSituation, type Situation } from "../domain/situation.ts";
import { groupOf, headsOf } from "../domain/step.ts";
import type { Db } from "../store/db.ts";
import { callsAfter, callsOfSession, failuresWithSignature, type ToldCall } from "../store/events.ts";
import { readMeta, takeMark, writeMeta } from "../store/meta.ts";
import { addTries, type Try, type TryResult } from "../store/tries.ts";

const BATCH = 2_000;
const MOST_SESSIONS = 4_000;
const MARK = "tried";

/** Brings the tries up to what has been digested: each new call once, with the situation it was made in. */
export async function catchUpTries(world: Pick<Context, "db">): Promise<number> {
  const situations = new Situations(Number((await readMeta(world.db, MARK)) ?? 0));
  for (let total = 0; ;) {
    const done = await world.db.tx((tx) => oneBatch(tx, situations));
    total += done.calls;
    if (done.last) return total;
  }
}

async function oneBatch(tx: Db, situations: Situations): Promise<{ calls: number; last: boolean }> {
  const from = await takeMark(tx, MARK);
  const upTo = Number((await readMeta(tx, "digested")) ?? 0);
  const calls = await callsAfter(tx, from, upTo, BATCH);
  const tries: Try[] = [];
  for (const call of calls) {
    const situation = await situations.of(tx, call);
    const state = [...situation.before(call)];
    situation.after(call);
    const result = resultOf(call) === "worked" && (await isMasked(tx, call)) ? "unclear" : resultOf(call);
    if (result === null) continue;
    for (const head of headsOf(call)) tries.push({ group: groupOf(call.tool, head), event: call.id, result, state });
  }
  await addTries(tx, tries);
  const last = calls.length < BATCH;
  await writeMeta(tx, MARK, String(last ? Math.max(from, upTo) : calls.at(-1)?.id));
  return { calls: calls.length, last };
}

/** An interrupted call and one that fell with its sibling tell nothing. */
function resultOf(call: ToldCall): TryResult | null {
  if (call.outcome === "ok") return "worked";
  if (call.outcome === "failed") return call.benign ? "worked" : "failed";
  return call.outcome === "denied" || call.outcome === "rejected" ? "unclear" : null;
}

/** A pipe hides how the command before it ended: what printed the error of a known failure did not work, whatever the host says. */
async function isMasked(tx: Db, call: ToldCall): Promise<boolean> {
  if (call.text === null || call.text === "" || !isShellTool(call.tool)) return false;
  if (
    !/[|;]/.test(shellTextOf(call.input) ?? "") ||
    !/error|fail|not found|no such|unrecognized|unknown|usage/i.test(call.text)
  )
    return false;
  return (await failuresWithSignature(tx, signatureOf(call.tool, call.input, call.text).key, 1)).length > 0;
}

/** The situations of the sessions at hand; of one that began before this run, what it did until then is read once. */
class Situations {
  private readonly bySession = new Map<string, Situation>();
  /** Put aside for lack of room: what they did is read again when they come back. */
  private readonly aside = new Set<string>();
  private readonly from: number;

  constructor(from: number) {
    this.from = from;
  }

  async of(tx: Db, call: ToldCall): Promise<Situation> {
    const key = `${call.host} ${call.session}`;
    const known = this.bySession.get(key);
    if (known) return known;
    const situation = newSituation();
    // From the very beginning there is no session that anybody could have met before.
    if (this.from > 0 || this.aside.has(key))
      for (const before of await callsOfSession(tx, { host: call.host, id: call.session }, call.id))
        if (before.tool !== null) situation.after({ ...before, tool: before.tool });
    if (this.bySession.size >= MOST_SESSIONS) {
      const oldest = this.bySession.keys().next().value ?? "";
      this.bySession.delete(oldest);
      this.aside.add(oldest);
    }
    this.bySession.set(key, situation);
    return situation;
  }
}
