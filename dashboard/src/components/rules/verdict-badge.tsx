import type { RuleEffect } from "../../api/contract.ts";
import { Badge, type Tone } from "../badge.tsx";

const tones: Readonly<Record<string, Tone>> = {
  works: "good",
  harmful: "fail",
  "no effect": "warn",
};

const UNKNOWN = "not enough data";

/** Whether a rule works; renders nothing if its effect is unknown. */
export function VerdictBadge({
  effect,
}: {
  readonly effect: Pick<RuleEffect, "verdict" | "byFamily" | "reason"> | null;
}) {
  if (effect === null) return null;
  return (
    <Badge tone={tones[effect.verdict] ?? "quiet"} title={effect.reason}>
      {effect.verdict === UNKNOWN ? `effect: ${UNKNOWN}` : effect.verdict}
      {effect.byFamily && ", by its kind"}
    </Badge>
  );
}
