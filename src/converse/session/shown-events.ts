import { extractMarkers } from "../../domain/memory/markers.ts";
import type { TurnEvent } from "../turn/turn-event.ts";
import type { Redactor } from "../turn/turn-parts.ts";
import { newEventQueue } from "./event-queue.ts";
import { newStreamedText } from "./streamed-text.ts";

/** An event of a turn as a person may see it: without secrets. */
export type ShownEvent =
  | Exclude<TurnEvent, { readonly kind: "text" | "reasoning" }>
  /** All of the answer so far, or of the reasoning before it. What was shown of it may change: a secret is known when it is complete. */
  | { readonly kind: "answer" | "reasoning"; readonly text: string };

/** The events of a turn for every surface that shows them, in order. A reader that stops early stops the turn. */
export function shownEvents(events: AsyncIterable<TurnEvent>, redact: Redactor): AsyncIterable<ShownEvent> {
  let hasLeft = false;
  const shown = newEventQueue<ShownEvent>(() => {
    hasLeft = true;
  });
  const answer = newStreamedText({
    redact,
    show: (text) => shown.push({ kind: "answer", text: extractMarkers(text).shown }),
  });
  const reasoning = newStreamedText({ redact, show: (text) => shown.push({ kind: "reasoning", text }) });
  const endTexts = async () => {
    await reasoning.end();
    await answer.end();
  };
  const take = async (event: TurnEvent): Promise<void> => {
    switch (event.kind) {
      case "text":
        await reasoning.end();
        return answer.add(event.text);
      case "reasoning":
        await answer.end();
        return reasoning.add(event.text);
      case "restart":
        answer.drop();
        reasoning.drop();
        return shown.push(await redactEvent(event, redact));
      default:
        await endTexts();
        return shown.push(await redactEvent(event, redact));
    }
  };
  const read = async () => {
    for await (const event of events) {
      if (hasLeft) break;
      await take(event);
    }
    await endTexts();
  };
  read().then(
    () => shown.end(),
    (error: unknown) => shown.end(error),
  );
  return shown;
}

type TextlessEvent = Exclude<TurnEvent, { readonly kind: "text" | "reasoning" }>;

/** Ids stay as they are. */
async function redactEvent<Event extends TextlessEvent>(event: Event, redact: Redactor): Promise<Event> {
  if (event.kind === "usage" || event.kind === "turn-start" || event.kind === "compacted") return event;
  if (event.kind === "approval" || event.kind === "approval-answered")
    return { ...event, approval: { ...(await redact(event.approval)), id: event.approval.id } };
  const clean = await redact(event);
  return "id" in event ? { ...clean, id: event.id } : clean;
}
