import type { PairedDifference } from "./paired.ts";
import type { SearchReport, SetFigures } from "./search.ts";

/** The report as text. */
export function formatSearchReport(report: Omit<SearchReport, "text">): string {
  const { sets, pooled, folds, chosen, shipped, met } = report;
  const all = [...sets, pooled];
  const lines = [
    "Chosen on all other folds, judged on the one left out. In percent; differences in points with 95 % intervals (paired bootstrap over questions).",
    "",
    "| set | n | FTS5 porter: first, among five | everything: first, among five | difference, first | among five | shipped weights (in-sample) |",
    "|---|---|---|---|---|---|---|",
    ...all.map(
      (set) =>
        `| ${formatTitle(set)} | ${set.questions} | ${rates(set.hits.porter)} | ${rates(set.hits.everything)} | ${difference(set.lead.hit1)} | ${difference(set.lead.hit5)} | ${rates(set.hits.shipped)} |`,
    ),
    "",
    "| step | set | first | among five |",
    "|---|---|---|---|",
    ...(pooled.steps.map(({ step }) => step) ?? []).flatMap((step) =>
      all.flatMap((set) =>
        set.steps
          .filter((one) => one.step === step)
          .map((one) => `| ${step} | ${formatTitle(set)} | ${difference(one.hit1)} | ${difference(one.hit5)} |`),
      ),
    ),
    "",
    `chosen on all: ${JSON.stringify(chosen)}`,
    `shipped:       ${JSON.stringify(shipped)}`,
    ...folds.map(({ fold, questions, weights }) => `without ${fold} (${questions}): ${JSON.stringify(weights)}`),
    "",
    met ? "Met." : "Not met.",
    "",
  ];
  return lines.join("\n");
}

function formatTitle({ name, unit }: SetFigures): string {
  return name === "pooled" ? "both" : `${name}, ${unit}s`;
}

function rates({ hit1, hit5 }: { readonly hit1: number; readonly hit5: number }): string {
  return `${hit1.toFixed(1)} / ${hit5.toFixed(1)}`;
}

function difference({ points, low, high }: PairedDifference): string {
  return `${signed(points)} (${signed(low)} to ${signed(high)})`;
}

function signed(points: number): string {
  return `${points > 0 ? "+" : ""}${points.toFixed(1)}`;
}
