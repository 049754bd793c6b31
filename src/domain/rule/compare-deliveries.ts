import { deliveryKinds, type Delivery } from "./delivery.ts";
import { wilsonLower } from "../proof/wilson.ts";

/** Of the sessions that were told a rule in one way and met its situation again, those that did not repeat the mistake. */
export interface DeliveryTally {
  readonly delivery: Delivery;
  readonly sessions: number;
  readonly kept: number;
}

export interface DeliveryEffect extends DeliveryTally {
  readonly share: number;
  /** The 95 % interval of that share. */
  readonly interval: readonly [number, number];
}

/** Softest first. */
export function compareDeliveries(tallies: readonly DeliveryTally[]): readonly DeliveryEffect[] {
  return deliveryKinds.flatMap((delivery) =>
    tallies
      .filter((one) => one.delivery === delivery && one.sessions > 0)
      .map(({ sessions, kept }) => ({
        delivery,
        sessions,
        kept,
        share: kept / sessions,
        interval: [wilsonLower(kept, sessions), 1 - wilsonLower(sessions - kept, sessions)] as const,
      })),
  );
}
