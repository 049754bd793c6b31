import type { StoredPrice } from "../../domain/model/call-row.ts";
import { type ModelRef, formatModelRef, parseModelRef } from "../../domain/model/model-ref.ts";
import { OldhandError } from "../../lib/errors.ts";
import { isRecord, tryParseJson } from "../../lib/json.ts";
import { readPlainFile } from "../../lib/plain-file.ts";

/** What the owner's price file says about a model. */
export interface OverriddenModel {
  readonly price: Omit<StoredPrice, "from"> | null;
  readonly context: number | null;
  readonly output: number | null;
  readonly retired: boolean | null;
}

export interface OverrideTable {
  find(ref: ModelRef): OverriddenModel | null;
  readonly names: readonly string[];
}

export const emptyOverrides: OverrideTable = { find: () => null, names: [] };

/**
 * Reads the owner's price file: a JSON object with one member for each model, such as
 * `{"openai/gpt-5": {"in": 1.25, "out": 10, "cached": 0.125, "context": 400000}}`, in dollars per million tokens.
 * A name that ends with `*` matches all models that start with the part before it. An exact name wins, then the longest match.
 */
export function readOverrides(path: string): OverrideTable {
  const read = readPlainFile(path);
  if (read.kind === "missing") throw wrongFile(path, "there is no such file");
  if (read.kind === "refused") throw wrongFile(path, read.why);
  const parsed = tryParseJson(read.text.replace(/^\uFEFF/, ""));
  if (parsed === undefined) throw wrongFile(path, "it is not JSON");
  if (!isRecord(parsed)) throw wrongFile(path, "it is not a JSON object");
  const models = new Map(Object.entries(parsed).map(([name, value]) => [name, readModel(path, name, value)] as const));
  const names = [...models.keys()].sort((a, b) => b.length - a.length);
  return {
    names,
    find: (ref) => {
      const wanted = formatModelRef(ref);
      const name = models.has(wanted)
        ? wanted
        : names.find((one) => one.endsWith("*") && wanted.startsWith(one.slice(0, -1)));
      return name === undefined ? null : (models.get(name) ?? null);
    },
  };
}

const priceFields = ["in", "out", "cached", "cacheWrite", "cacheWrite1h", "request"] as const;
const fields: readonly string[] = [...priceFields, "tiers", "context", "output", "retired"];

function readModel(path: string, name: string, value: unknown): OverriddenModel {
  const wrong = (why: string) => wrongFile(path, `"${name}" ${why}`);
  if (parseModelRef(name) === null) throw wrong("is not the name of a model: it has the form provider/model");
  if (!isRecord(value)) throw wrong("must be an object");
  const unknown = Object.keys(value).find((key) => !fields.includes(key));
  if (unknown !== undefined) throw wrong(`has an unknown member "${unknown}"; known members: ${fields.join(", ")}`);
  const number = (of: Readonly<Record<string, unknown>>, key: string, isWhole = false): number | undefined => {
    const given = of[key];
    if (given === undefined) return undefined;
    if (typeof given !== "number" || !Number.isFinite(given) || given < 0 || (isWhole && !Number.isInteger(given)))
      throw wrong(
        `has ${key}: ${JSON.stringify(given)}; it must be ${isWhole ? "a whole number" : "a number"}, 0 or more`,
      );
    return given;
  };
  const prices = (of: Readonly<Record<string, unknown>>) => {
    const [input, out] = [number(of, "in"), number(of, "out")];
    if (input === undefined || out === undefined) throw wrong("needs both in and out, in dollars per million tokens");
    const writeHour = number(of, "cacheWrite1h");
    return {
      in: input,
      out,
      cached: number(of, "cached") ?? input,
      cacheWrite: number(of, "cacheWrite") ?? input,
      ...(writeHour === undefined ? {} : { cacheWrite1h: writeHour }),
    };
  };
  const tiers = (given: unknown) => {
    if (given === undefined) return [];
    if (!Array.isArray(given) || !given.every(isRecord)) throw wrong("has tiers that are not a list of objects");
    return given
      .map((tier) => {
        const above = number(tier, "above", true);
        if (above === undefined) throw wrong("has a tier without above, the number of tokens from which it applies");
        return { above, ...prices(tier) };
      })
      .sort((a, b) => a.above - b.above);
  };
  const hasPrice = [...priceFields, "tiers"].some((key) => value[key] !== undefined);
  const [request, found] = [number(value, "request"), tiers(value["tiers"])];
  const { retired } = value;
  if (retired !== undefined && typeof retired !== "boolean")
    throw wrong("has a member retired that is neither true nor false");
  return {
    price: hasPrice
      ? {
          ...prices(value),
          ...(found.length > 0 ? { tiers: found } : {}),
          ...(request === undefined ? {} : { request }),
        }
      : null,
    context: number(value, "context", true) ?? null,
    output: number(value, "output", true) ?? null,
    retired: retired ?? null,
  };
}

function wrongFile(path: string, why: string): OldhandError {
  return new OldhandError("config", `the price file ${path} cannot be used: ${why}`, {
    hint: "correct it, or use the built-in prices: oldhand config set models.prices default",
  });
}
