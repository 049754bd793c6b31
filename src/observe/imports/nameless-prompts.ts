import type { NewEvent } from "../../domain/event/event.ts";
import { MINUTE } from "../../lib/clock.ts";
import type { Db } from "../../store/engine/db.ts";
import { listNamelessPrompts, type NamelessPrompt } from "../../store/events/events.ts";

/**
 * Hooks of older clients report prompts without the id that the transcript has. Each such prompt is matched with the
 * first transcript prompt of the same text within a minute. Each is matched only once, so that a text typed twice
 * stays two prompts.
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
