import { readdirSync } from "node:fs";
import { join } from "node:path";
import { unzip } from "./data.ts";
import { redact, redactValue } from "../src/domain/redact/redact.ts";

interface Sample {
  readonly source: string;
  readonly rule: string;
  readonly text: string;
  readonly secrets: readonly string[];
}

export interface RedactionReport {
  readonly positives: {
    readonly total: number;
    readonly caught: number;
    readonly rate: number;
    readonly missed: readonly string[];
  };
  readonly negatives: {
    readonly total: number;
    readonly altered: number;
    readonly rate: number;
    /** Altered texts that the same data also lists as secrets: look-alikes of one rule, not of all. */
    readonly alsoPositive: number;
    readonly wrong: readonly string[];
  };
  readonly trajectories: {
    readonly lines: number;
    readonly altered: number;
    readonly rate: number;
    readonly byRule: Readonly<Record<string, number>>;
  };
  readonly throughput: {
    readonly megabytes: number;
    readonly megabytesPerSecond: number;
    readonly bestOf: number;
  };
}

/** Recall on known secrets, restraint on look-alikes and on real work, and speed. */
export function measureRedaction(dataDir: string): RedactionReport {
  const { pos, neg } = JSON.parse(unzip(join(dataDir, "secrets_dev.json.gz"))) as {
    readonly pos: readonly Sample[];
    readonly neg: readonly Sample[];
  };
  const missed = pos.filter((sample) => !isCaught(sample));
  const secrets = new Set(pos.map(({ text }) => text));
  const wrong = neg.filter(({ text }) => redact(text) !== text);
  const files = readdirSync(dataDir).filter((file) => /^traj_.*\.jsonl\.gz$/.test(file));
  const raw = files.map((file) => unzip(join(dataDir, file))).join("");
  return {
    positives: {
      total: pos.length,
      caught: pos.length - missed.length,
      rate: share(pos.length - missed.length, pos.length),
      missed: missed.map(describe),
    },
    negatives: {
      total: neg.length,
      altered: wrong.length,
      rate: share(wrong.length, neg.length),
      alsoPositive: wrong.filter(({ text }) => secrets.has(text)).length,
      wrong: wrong.map(describe),
    },
    trajectories: alteredLines(raw),
    throughput: speedOn(raw),
  };
}

function isCaught({ text, secrets }: Sample): boolean {
  const clean = redact(text);
  return secrets.length === 0 ? clean !== text : secrets.every((secret) => !clean.includes(secret));
}

function alteredLines(raw: string): RedactionReport["trajectories"] {
  const byRule: Record<string, number> = {};
  let lines = 0;
  let altered = 0;
  for (const line of raw.split("\n")) {
    if (line === "") continue;
    lines++;
    const value: unknown = JSON.parse(line);
    const clean = redactValue(value);
    if (clean === value) continue;
    altered++;
    const rules = new Set(JSON.stringify(clean).match(/\[redacted:[\w-]+\]/g));
    for (const rule of rules) byRule[rule] = (byRule[rule] ?? 0) + 1;
  }
  return { lines, altered, rate: share(altered, lines), byRule };
}

function speedOn(raw: string): RedactionReport["throughput"] {
  const megabytes = Buffer.byteLength(raw) / 1e6;
  const bestOf = 3;
  const seconds = Array.from({ length: bestOf }, () => {
    const before = performance.now();
    redact(raw);
    return (performance.now() - before) / 1000;
  });
  return {
    megabytes: round(megabytes),
    megabytesPerSecond: round(megabytes / Math.min(...seconds)),
    bestOf,
  };
}

// The first words only: a report must not repeat whole secrets.
const describe = ({ source, rule, text }: Sample) => `${source}/${rule}: ${text.slice(0, 60).replaceAll(/\s+/g, " ")}`;
const share = (part: number, whole: number) => (whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 10_000);
const round = (value: number) => Math.round(value * 10) / 10;
