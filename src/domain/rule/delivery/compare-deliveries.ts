import { deliveryKinds, type Delivery } from "./delivery.ts";
import { wilsonLower } from "../../proof/wilson.ts";

/**
 * Of the sessions that got a rule by one delivery and met its situation again, how many did not repeat the mistake
 * (`kept`).
 */
export interface DeliveryTally {
  readonly delivery: Delivery;
  readonly sessions: number;
  readonly kept: number;
}

export interface DeliveryEffect extends DeliveryTally {
  readonly share: number;
  /** The 95 % interval of `share`. */
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
