import { cpSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sinceStart } from "../src/lib/clock.ts";
import { openContext } from "../src/mind.ts";
import { blankEvent } from "../src/observe/protocol/to-event.ts";
import { answerFailure } from "../src/recall/answers/answer-failure.ts";
import {
  type FailureCase,
  makeNothingNear,
  type Package,
  packageAt,
  pick,
  makeWrongEdit,
  makeWrongPath,
  makeWrongProgram,
  makeWrongScript,
} from "./answers-cases.ts";
import { type Random, makeRandom } from "../src/lib/random.ts";

interface DiskFigure {
  readonly cases: number;
  readonly right: number;
  /** Cases whose answer contains the right one; paths get up to three. */
  readonly among: number;
  readonly ms: { readonly p50: number; readonly p95: number };
  readonly wrong: readonly string[];
}

/**
 * Makes failures in copies of real packages and answers each as a hook does. Packages are split in two halves by name:
 * one to tune the answers on, one to report on.
 */
export async function measureDiskAnswers(
  half: "tune" | "report",
  seed = 7,
): Promise<Readonly<Record<string, DiskFigure>>> {
  const folder = mkdtempSync(join(tmpdir(), "oldhand-answers-"));
  writeFileSync(join(folder, "config.json"), JSON.stringify({ distil: { holdOut: false } }));
  const mind = await openContext({ home: folder });
  try {
    const packages = copyPackages(folder, half);
    const random = makeRandom(seed);
    const own = readdirSync(join("node_modules", ".bin")).slice(0, 20);
    const there = {
      path: ["python3", "node", "find", "grep", "gzip", "printf", "uname", "xargs", "dirname", "readlink"],
      own,
    };
    const figures: Record<string, DiskFigure> = {};
    const measure = async (name: string, count: number, make: (random: Random, of: Package) => FailureCase | null) => {
      figures[name] = await judgeCases(mind, makeCases(random, packages, count, make));
    };
    await measure("paths", 300, makeWrongPath);
    await measure("edits", 150, makeWrongEdit);
    await measure("scripts", 25, makeWrongScript);
    await measure("programs", 25, (some, of) => makeWrongProgram(some, of, there));
    await measure("nothing near", 200, (some, of) => makeNothingNear(some, of, pick(some, packages)));
    return figures;
  } finally {
    await mind.close();
    rmSync(folder, { recursive: true });
  }
}

/** The figures as lines of text. */
export function formatDiskAnswers(figures: Readonly<Record<string, DiskFigure>>): readonly string[] {
  return Object.entries(figures).map(
    ([name, { cases, right, among, ms }]) =>
      `${name}: right ${right} of ${cases} (${((100 * right) / cases).toFixed(1)} %), told at all ${among}; p50 ${ms.p50} ms, p95 ${ms.p95} ms`,
  );
}

/** Copies packages from the repository's node_modules, each with the repository's programs in its `.bin`. */
function copyPackages(folder: string, half: "tune" | "report"): readonly Package[] {
  const names = readdirSync("node_modules").flatMap((name) =>
    name.startsWith("@") ? readdirSync(join("node_modules", name)).map((one) => `${name}/${one}`) : [name],
  );
  const packages: Package[] = [];
  for (const [at, name] of names
    .filter((one) => !one.startsWith("."))
    .toSorted()
    .entries()) {
    if ((at % 2 === 0) !== (half === "tune") || !existsSync(join("node_modules", name, "package.json"))) continue;
    const found = packageAt(name, join("node_modules", name));
    if (found.files.length < 15 || found.files.length > 3_000) continue;
    const root = join(folder, "packages", name);
    cpSync(join("node_modules", name), root, {
      recursive: true,
      filter: (path) => !/[\\/]node_modules[\\/].*[\\/]node_modules/.test(path),
      dereference: true,
    });
    cpSync(join("node_modules", ".bin"), join(root, "node_modules", ".bin"), { recursive: true, dereference: true });
    packages.push(packageAt(name, root));
  }
  return packages;
}

function makeCases(
  random: Random,
  packages: readonly Package[],
  count: number,
  make: (random: Random, of: Package) => FailureCase | null,
): readonly FailureCase[] {
  const cases: FailureCase[] = [];
  for (let tries = 0; cases.length < count && tries < count * 100; tries++) {
    const one = make(random, pick(random, packages));
    if (one !== null) cases.push(one);
  }
  return cases;
}

async function judgeCases(
  mind: Parameters<typeof answerFailure>[0],
  cases: readonly FailureCase[],
): Promise<DiskFigure> {
  let [right, among] = [0, 0];
  const times: number[] = [];
  const wrong: string[] = [];
  for (const [at, one] of cases.entries()) {
    const { root, tool, input, error } = one;
    const call = {
      ...blankEvent,
      host: "claude-code",
      session: "s",
      uid: String(at),
      cwd: root,
      workspace: root,
      tool,
      input,
      ok: false,
      error,
    };
    const to = { host: "claude-code", session: "s", workspace: root, model: null, maxCharacters: 10_000 };
    const from = sinceStart();
    const message = await answerFailure(mind, to, call);
    times.push(sinceStart() - from);
    const lines = (message?.text ?? "").split("\n");
    const place = rankAnswer(one, lines);
    if (place === 1) right += 1;
    else
      wrong.push(
        `${one.kind}: ${JSON.stringify(input).slice(0, 150)} for ${String(one.right)}: ${lines.slice(2, -1).join(" ").slice(0, 200)}`,
      );
    if (place > 0) among += 1;
  }
  const sorted = times.toSorted((a, b) => a - b);
  const at = (share: number) => Number((sorted[Math.floor(sorted.length * share)] ?? 0).toFixed(1));
  return { cases: cases.length, right, among, ms: { p50: at(0.5), p95: at(0.95) }, wrong };
}

/** Returns 1 if the right answer is first, 2 if it is included, 0 if it is missing. */
function rankAnswer({ right, root }: FailureCase, answer: readonly string[]): 0 | 1 | 2 {
  if (right === null) return answer.length <= 1 ? 1 : 0;
  if (answer.length <= 1) return 0;
  const lines = answer.filter((line) => line.startsWith("| ")).map((line) => line.slice(2));
  if (typeof right !== "string") {
    const found = /lines? (\d+)(?:-(\d+))?/.exec(answer[2] ?? "");
    const [first, last] = [Number(found?.[1] ?? 0), Number(found?.[2] ?? found?.[1] ?? 0)];
    const both = Math.min(last, right[1]) - Math.max(first, right[0]) + 1;
    const all = Math.max(last, right[1]) - Math.min(first, right[0]) + 1;
    return both / all >= 0.5 ? 1 : both > 0 ? 2 : 0;
  }
  const names = lines
    .flatMap((line) => line.split(", "))
    .map((line) => line.replace(`${root}/`, "").replace(/^npx |^node_modules\/\.bin\//, ""));
  return names[0] === right ? 1 : names.includes(right) ? 2 : 0;
}
