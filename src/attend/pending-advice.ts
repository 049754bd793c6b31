import type { Context } from "../context.ts";
import type { Hearing } from "../observe/protocol/host.ts";
import type { Told } from "../recall/compose.ts";
import type { Listener } from "../recall/parts.ts";
import type { ShownMoment } from "../store/shown.ts";

/** Advice that was due when the host could not hear it. */
export interface PendingAdvice {
  readonly moment: ShownMoment;
  readonly told: Told;
}

/** Whether a host may have advice pending: then a call is looked at although it went well. */
export function mayBePending(hears: Hearing): boolean {
  return !hears["session-start"] || !hears.prompt || !hears.stop;
}

export async function keepPending(
  { db, clock }: Pick<Context, "db" | "clock">,
  { host, session }: Listener,
  pending: PendingAdvice,
): Promise<void> {
  const { keepAdvice } = await import("../store/waiting-advice.ts");
  await keepAdvice(db, { host, session }, { key: pending.moment, value: JSON.stringify(pending), now: clock.now() });
}

/** Once, oldest first: what is taken is said. */
export async function takePending(
  { db, clock }: Pick<Context, "db" | "clock">,
  { host, session }: Listener,
): Promise<readonly PendingAdvice[]> {
  const { takeAdvice } = await import("../store/waiting-advice.ts");
  const values = await takeAdvice(db, { host, session }, clock.now());
  return values.map((value) => JSON.parse(value) as PendingAdvice);
}
