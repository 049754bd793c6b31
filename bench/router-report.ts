import type { RoutePolicy } from "../src/domain/route/policy.ts";
import type { Degraded } from "./router-degrade.ts";

/** One policy's result for each λ: as a share of the best single model in hindsight, or as plain utility. */
export interface RouterRow {
  readonly name: string;
  readonly byLambda: readonly number[];
  /** The same over the first half of the tasks: the cost of learning. */
  readonly firstHalf?: number;
}

export interface RouterReport {
  readonly lambdas: readonly number[];
  readonly splits: number;
  readonly orders: number;
  /** On models and tasks not used for tuning, as shares of the best single model. */
  readonly heldOut: readonly RouterRow[];
  /** The parameters chosen on all tuning parts together. */
  readonly chosen: TunedPolicy;
  /** All models and tasks with the shipped parameters: in-sample. */
  readonly whole: readonly RouterRow[];
  /** Utilities if a check detects failures and other models may be tried. */
  readonly escalating: { readonly heldOut: readonly RouterRow[]; readonly whole: readonly RouterRow[] };
  readonly degrading: readonly { readonly name: string; readonly rows: readonly Degraded[] }[];
  readonly text: string;
}

/** The parameters that are tuned. */
export type TunedPolicy = Pick<
  RoutePolicy,
  "priorQuality" | "priorSlope" | "priorWeight" | "poolSize" | "priceGate" | "lead" | "foresight"
>;

/** The tables as Markdown. */
export function printRouterReport(report: Omit<RouterReport, "text">): string {
  const { splits, orders, chosen } = report;
  return [
    "## One model for each task",
    "",
    `Utility is solved − λ × cost. Shares of the best single model in hindsight, second half of the tasks, mean over ${splits} splits with ${orders} orders of the tasks each.`,
    `Parameters are chosen on half of the models and tasks and reported on the others.`,
    `Chosen on all first parts: ${Object.entries(chosen)
      .map(([name, value]) => `${name} ${value}`)
      .join(", ")}.`,
    "",
    ...tableOf(report.heldOut, report.lambdas, "shares"),
    "",
    "The whole file (in-sample):",
    "",
    ...tableOf(report.whole, report.lambdas, "shares"),
    "",
    "## Escalating after a verified failure",
    "",
    "Utility for each task. The models and tasks of the splits' second parts:",
    "",
    ...tableOf(report.escalating.heldOut, report.lambdas, "utilities"),
    "",
    "The whole file (in-sample):",
    "",
    ...tableOf(report.escalating.whole, report.lambdas, "utilities"),
    "",
    "## A model that gets worse half-way",
    "",
    "Share of the choices that fall on it: in the 40 tasks before → from 40 tasks after.",
    "",
    header(["what gets worse", ...report.lambdas.map((lambda) => `λ ${lambda}`)]),
    ...report.degrading.map(({ name, rows }) =>
      line([name, ...rows.map(({ before, after }) => `${percent(before)} → ${percent(after)}`)]),
    ),
    "",
  ].join("\n");
}

function tableOf(
  rows: readonly RouterRow[],
  lambdas: readonly number[],
  of: "shares" | "utilities",
): readonly string[] {
  const more = of === "shares" ? ["mean", "lowest", "first half"] : [];
  return [
    header(["policy", ...lambdas.map((lambda) => `λ ${lambda}`), ...more]),
    ...rows.map(({ name, byLambda, firstHalf }) => {
      const mean = byLambda.reduce((sum, value) => sum + value, 0) / byLambda.length;
      const summary = [mean.toFixed(3), Math.min(...byLambda).toFixed(3), firstHalf?.toFixed(3) ?? "–"];
      return line([name, ...byLambda.map((value) => value.toFixed(3)), ...(of === "shares" ? summary : [])]);
    }),
  ];
}

function header(names: readonly string[]): string {
  return `${line(names)}\n${line(names.map(() => "---"))}`;
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}
