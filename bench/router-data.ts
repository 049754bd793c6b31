import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { join, resolve } from "node:path";
import { OldhandError } from "../src/lib/errors.ts";
import { isRecord } from "../src/lib/json.ts";
import { findDataFolder, isFile } from "./data.ts";
import type { Random } from "../src/lib/random.ts";

/** Which models solved which tasks, and at what cost. Models are anonymous: a policy may know prices, not brands. */
export interface ModelTrials {
  readonly prices: readonly number[];
  /** By model, then by task. */
  readonly solved: readonly (readonly number[])[];
  readonly cost: readonly (readonly number[])[];
}

/** The file in the data folder, or another file with the same format. */
export function findRouterFile(folder: string | undefined, file: string | undefined): string {
  if (file !== undefined) return resolve(file);
  return join(findDataFolder(folder, DATA_FILE), DATA_FILE);
}

const DATA_FILE = "router_swebv_dev250.json.gz";

/**
 * Reads a file like `router_swebv_dev250.json.gz`: models with `name` and `avg_cost`, and by name the result and cost
 * of each task.
 */
export function readTrials(file: string): ModelTrials {
  if (!isFile(file)) throw new OldhandError("input", `there is no file ${file}`);
  const bytes = readFileSync(file);
  const read: unknown = JSON.parse((file.endsWith(".gz") ? gunzipSync(bytes) : bytes).toString("utf8"));
  if (!isRecord(read) || !Array.isArray(read["models"]) || !isRecord(read["resolved"]) || !isRecord(read["cost"]))
    throw new OldhandError("input", `${file} has no models with resolved and cost`);
  const { resolved, cost } = read;
  const models = read["models"].filter(isRecord);
  const numbersOf = (table: Record<string, unknown>, name: unknown): readonly number[] => {
    const row = table[String(name)];
    if (!Array.isArray(row)) throw new OldhandError("input", `${file} has no tasks of ${String(name)}`);
    return row.map(Number);
  };
  return {
    prices: models.map((model) => Number(model["avg_cost"])),
    solved: models.map((model) => numbersOf(resolved, model["name"])),
    cost: models.map((model) => numbersOf(cost, model["name"])),
  };
}

/** The given models and tasks, in this order. */
export function takePart(trials: ModelTrials, models: readonly number[], tasks: readonly number[]): ModelTrials {
  const rows = (table: ModelTrials["solved"]) => models.map((model) => tasks.map((task) => table[model]?.[task] ?? 0));
  return {
    prices: models.map((model) => trials.prices[model] ?? 0),
    solved: rows(trials.solved),
    cost: rows(trials.cost),
  };
}

/** Splits into two parts: half of the models with half of the tasks, and the rest of both. */
export function splitTrials(
  trials: ModelTrials,
  random: Random,
): { readonly chosenOn: ModelTrials; readonly reportedOn: ModelTrials } {
  const models = shuffleIndices(trials.prices.length, random);
  const tasks = shuffleIndices(countTasks(trials), random);
  const [m, t] = [Math.floor(models.length / 2), Math.floor(tasks.length / 2)];
  return {
    chosenOn: takePart(trials, models.slice(0, m), tasks.slice(0, t)),
    reportedOn: takePart(trials, models.slice(m), tasks.slice(t)),
  };
}

/** The same trials with tasks and models in random order. */
export function reorderTrials(trials: ModelTrials, random: Random): ModelTrials {
  return takePart(trials, shuffleIndices(trials.prices.length, random), shuffleIndices(countTasks(trials), random));
}

export function countTasks(trials: ModelTrials): number {
  return trials.solved[0]?.length ?? 0;
}

export function shuffleIndices(length: number, random: Random): readonly number[] {
  const order = Array.from({ length }, (_, at) => at);
  for (let at = length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other] as number, order[at] as number];
  }
  return order;
}
