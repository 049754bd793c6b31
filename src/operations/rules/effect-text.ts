import type { Verdict } from "../../domain/proof/proof.ts";
import type { Delivery } from "../../domain/rule/delivery/delivery.ts";
import { percent } from "../../lib/percent.ts";
import { plural } from "../../lib/text.ts";

interface AttemptCounts {
  readonly attempts: number;
  readonly opportunities: number;
}

/** The verdict on a rule, and whether it comes from its family. */
interface DescribableVerdict {
  readonly verdict: Verdict;
  readonly byFamily: boolean;
  readonly reason: string;
}

/** The output of `rules effect`. */
interface EffectSummary extends DescribableVerdict {
  readonly since: string;
  readonly before: AttemptCounts;
  readonly after: AttemptCounts;
  readonly heldOut: AttemptCounts;
  readonly saved: { readonly attempts: number; readonly low: number; readonly high: number } | null;
  readonly deliveries: readonly {
    readonly delivery: Delivery;
    readonly sessions: number;
    readonly kept: number;
    readonly interval: readonly [number, number];
  }[];
}

/** The verdict with its evidence: the rule's own, or its family's. */
export function verdictText({ verdict, byFamily, reason }: DescribableVerdict): string {
  const whose = byFamily
    ? ", judged with other rules of its kind"
    : verdict === "not enough data"
      ? ""
      : ", judged by its own sessions";
  if (reason.startsWith("too early ")) return reason;
  return `${verdict}${whose}: ${reason}`;
}

/** The verdict with its reason, then the rule's own counts. */
export function formatEffect(one: EffectSummary): string {
  return [
    verdictText(one),
    line("before it", formatCounts(one.before)),
    line("with it", `${formatCounts(one.after)}, since ${one.since.slice(0, 10)}`),
    ...(one.heldOut.opportunities > 0 ? [line("control group", formatCounts(one.heldOut))] : []),
    ...(one.saved === null ? [] : [line("saved", formatSaved(one.saved))]),
    ...one.deliveries.map(({ delivery, sessions, kept, interval: [low, high] }) =>
      line(
        `after a${delivery === "ask" ? "n" : ""} ${delivery}`,
        `${kept} of ${plural(sessions, "session")} did not repeat it (95 %: ${percent(low)} to ${percent(high)})`,
      ),
    ),
    COUNTED,
  ].join("\n");
}

/** What the numbers count, for a reader who sees them for the first time. */
const COUNTED =
  "  (chance: a call in which the mistake could be made; mistake: a call that the rule warns against and that did not work, or any such call if the rule is your own)";

function line(name: string, says: string): string {
  return `  ${name.padEnd(14)} ${says}`;
}

function formatCounts({ attempts, opportunities }: AttemptCounts): string {
  if (opportunities === 0) return "no chance of the mistake";
  return `${plural(attempts, "mistake")} in ${plural(opportunities, "chance")} (${percent(attempts / opportunities)})`;
}

function formatSaved({ attempts, low, high }: NonNullable<EffectSummary["saved"]>): string {
  return `about ${plural(Math.round(attempts), "mistake")} (95 %: ${low.toFixed(0)} to ${high.toFixed(0)})`;
}
