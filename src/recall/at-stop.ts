import type { Context } from "../context.ts";
import { keptWith } from "../domain/advice/remind.ts";
import { stopOpenings } from "../domain/advice/stop-sentences.ts";
import { deedOf } from "../domain/event/deed.ts";
import type { Event } from "../domain/event/event.ts";
import { oneLine } from "../lib/text.ts";
import { workOf } from "../store/around-session.ts";
import type { Db } from "../store/engine/db.ts";
import { callsOfSession } from "../store/events.ts";
import type { ShownSoFar } from "../store/shown.ts";
import { compose, type Section, type Told } from "./compose.ts";
import type { Listener } from "./parts.ts";

/**
 * Before a session stops, once in its life: what failed and was never made good, or that nothing of much work was
 * written down. Null when all is well.
 */
export async function atStop(
  ctx: Pick<Context, "db" | "config">,
  to: Listener,
  shown: ShownSoFar,
): Promise<Told | null> {
  const { db } = ctx;
  if (shown.parts.has("reminder stop")) return null;
  const open = await unresolved(db, to);
  const kept = async () => keptWith((await to.wayToKeep?.()) ?? "tools");
  if (open.length > 0) return composed(failuresLeft(open, await kept()), to, shown);
  const { interactions, logged } = await workOf(db, { host: to.host, id: to.session });
  const wasTold = shown.parts.has("reminder insist") || shown.parts.has("reminder closing");
  if (interactions < ctx.config.policy.recall.insistAfter || logged || wasTold) return null;
  const by = await kept();
  return by === null ? null : composed(nothingLogged(by), to, shown);
}

function composed(says: Section, to: Listener, shown: ShownSoFar): Told | null {
  return compose("", [says], { characters: to.hears, already: shown.parts });
}

function nothingLogged(kept: string): Section {
  const says = `${stopOpenings.nothingLogged} Keep what a later session must know with ${kept}; if there is nothing, say so and end.`;
  return { heading: "", share: 1, parts: [{ kind: "reminder", subject: "stop", says }] };
}

/** Says only what was seen: that they failed, and that no call like them worked later. */
function failuresLeft(open: readonly Event[], kept: string | null): Section {
  const lines = open.map((call) => `${oneLine(deedOf(call), 120)}: ${oneLine(call.error ?? "failed", 200)}`);
  const learn = kept === null ? "" : ` Save what you learned with ${kept}.`;
  return {
    heading: `${stopOpenings.failuresLeft} Fix them if they matter, or tell the user they are unresolved.${learn}`,
    share: 1,
    parts: [
      {
        kind: "reminder",
        subject: "stop",
        says: { label: "unresolved failures", origin: "tool", text: lines.join("\n") },
      },
    ],
  };
}

async function unresolved(db: Db, to: Listener): Promise<readonly Event[]> {
  const all = await callsOfSession(db, { host: to.host, id: to.session });
  const calls = all.filter((call) => call.agent === null).slice(-MOST);
  if (!calls.some((call) => call.ok === false || call.outcome === "failed" || (call.exitCode ?? 0) !== 0)) return [];
  const { readCall } = await import("../domain/event/reading.ts");
  const { unresolvedIn } = await import("../domain/event/unresolved.ts");
  const read = calls.map((call) => (call.outcome === null ? { ...call, ...readCall(call) } : call));
  return unresolvedIn(read).slice(-SHOWN);
}

/** What failed longer ago was lived with. */
const MOST = 200;
const SHOWN = 5;
