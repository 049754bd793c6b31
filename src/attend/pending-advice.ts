import type { Context } from "../context.ts";
import type { ContextLimits } from "../observe/protocol/host.ts";
import type { Message } from "../recall/compose-message.ts";
import type { Recipient } from "../recall/message-parts.ts";
import type { ShownMoment } from "../store/shown/shown.ts";

/** Advice that was due when the host could not take it. */
export interface PendingAdvice {
  readonly moment: ShownMoment;
  readonly told: Message;
}

/** True if a host may have pending advice. Then successful calls are processed too. */
export function mayHavePendingAdvice(contextLimits: ContextLimits): boolean {
  return !contextLimits["session-start"] || !contextLimits.prompt || !contextLimits.stop;
}

export async function keepPendingAdvice(
  { db, clock }: Pick<Context, "db" | "clock">,
  { host, session }: Recipient,
  pending: PendingAdvice,
): Promise<void> {
  const { storePendingAdvice } = await import("../store/shown/pending-advice.ts");
  await storePendingAdvice(
    db,
    { host, session },
    { key: pending.moment, value: JSON.stringify(pending), now: clock.now() },
  );
}

/** Returns each item once, oldest first: the caller must show them. */
export async function takePendingAdvice(
  { db, clock }: Pick<Context, "db" | "clock">,
  { host, session }: Recipient,
): Promise<readonly PendingAdvice[]> {
  const { popPendingAdvice } = await import("../store/shown/pending-advice.ts");
  const values = await popPendingAdvice(db, { host, session }, clock.now());
  return values.map((value) => JSON.parse(value) as PendingAdvice);
}
