import type { NewEvent } from "../../domain/event/event.ts";
import { MINUTE } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listNamelessPrompts, type NamelessPrompt } from "../../store/events/events.ts";

/**
 * A hook of an older client tells a prompt without the name that the transcript has for it. Each such prompt is one with
 * the first line of the same words about the same time; one line for each, so that the same words said twice stay two.
 */
export function newStoredPromptCheck(db: Db): (event: NewEvent) => Promise<boolean> {
  const waiting = new Map<string, NamelessPrompt[]>();
  return async (event) => {
    if (event.kind !== "prompt") return false;
    const key = JSON.stringify([event.host, event.session]);
    const candidates = waiting.get(key) ?? (await listNamelessPrompts(db, { host: event.host, id: event.session }));
    waiting.set(key, candidates);
    const at = candidates.findIndex((one) => one.text === event.text && Math.abs(one.at - event.at) <= MINUTE);
    if (at === -1) return false;
    candidates.splice(at, 1);
    return true;
  };
}
