import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, sample, describeRun } from "../program.ts";

let place: Place;
beforeEach(async () => {
  place = newPlace();
  await place.json(["import", sample]);
  await place.json(["distil", "--write"]);
});
afterEach(() => place.remove());

interface ShownRule {
  readonly id: string;
  readonly status: string;
  readonly level: string;
  readonly matcher: { readonly head?: string };
  readonly backtest: { readonly fired: number; readonly hits: number } | null;
}

const rules = () => place.json<ShownRule[]>(["rules"]);
const docker = async () => (await rules()).find((one) => one.matcher.head === "docker compose up") as ShownRule;

describe("an answer without anything in it", () => {
  it("tells a filter that leaves nothing from a mind without rules", async () => {
    expect((await place.run(["rules", "list", "--status", "retired"])).stdout).toBe("No rule matches.\n");
    const empty = newPlace();
    expect((await empty.run(["rules"])).stdout).toBe(
      "No rules yet. After `oldhand install`, oldhand learns them from what your agents do.\n",
    );
    await empty.remove();
  });

  it("says why the effect of a rule is not known", async () => {
    const { rule } = await place.json<{ rule: ShownRule }>(["learn", "Keep commits small."]);
    expect((await place.run(["rules", "effect", rule.id])).stderr).toContain(
      `rule ${rule.id} has no matcher, so its effect cannot be measured`,
    );
    const quiet = ["learn", "Do not force.", "--command", "git push --force", "--level", "watch"];
    const { rule: watching } = await place.json<{ rule: ShownRule }>(quiet);
    expect((await place.run(["rules", "effect", watching.id])).stderr).toContain(
      `rule ${watching.id} has not been shown yet`,
    );
  });
});

describe("match --batch", () => {
  it("gives a line for each call in order, judged by what came before it only", async () => {
    const ran = await place.run(["match", "--batch", sample, "--json"]);
    expect(ran.code, describeRun(ran)).toBe(0);
    const lines = ran.stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { ref: object; rules: { id: string; level: string }[] });
    const calls = readFileSync(sample, "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { session: string; seq: number; tool: string; input: { command?: string } });
    expect(lines.map((line) => line.ref)).toEqual(calls.map(({ session, seq }) => ({ session, seq })));
    const { id } = await docker();
    for (const [at, call] of calls.entries()) {
      const spoken = lines[at]?.rules.some((rule) => rule.id === id) ?? false;
      expect(spoken).toBe(call.input.command?.startsWith("docker compose up") ?? false);
    }
  });

  it("says which line is none", async () => {
    const file = join(place.dir, "calls.jsonl");
    writeFileSync(file, "{}\n");
    const ran = await place.run(["match", "--batch", file]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("line 1");
  });

  it("leaves out what only watches, unless it is asked for", async () => {
    const { id } = await docker();
    await place.json(["rules", "edit", id, "--level", "watch"]);
    const spoken = async (...flags: string[]) =>
      (await place.run(["match", "--batch", sample, ...flags])).stdout.includes(id);
    expect(await spoken()).toBe(false);
    expect(await spoken("--watching")).toBe(true);
  });
});

describe("rules of many folders", () => {
  it("are listed with where they hold, those of this folder first", async () => {
    const [own, shop] = [newPlace(), "shop"];
    mkdirSync(join(own.user, shop), { recursive: true });
    await own.run(["learn", "Of everywhere."]);
    await own.run(["learn", "Of the shop.", "--workspace", join(own.user, shop)]);
    const texts = async (cwd: string) =>
      (await own.run(["rules"], { cwd })).stdout
        .trim()
        .split("\n")
        .map((line) => line.replace(/^\S+ +\S+ +nudge +/, ""));
    expect(await texts(own.dir)).toEqual(["Of everywhere (everywhere)", "Of the shop (~/shop)"]);
    expect(await texts(join(own.user, shop))).toEqual(["Of the shop.", "Of everywhere (everywhere)"]);
    own.remove();
  });
});

describe("review", () => {
  it("decides with one key each, evidence and backtest in view, and the rest stays as it is", async () => {
    // Rules that are shown come before those that only watch.
    const waiting = await place.json<ShownRule[]>(["review"]);
    expect(waiting.map((one) => one.level === "watch")).toEqual(waiting.map((one) => one.level === "watch").toSorted());
    const ran = await place.run(["review"], { stdin: "ard" });
    expect(ran.code, describeRun(ran)).toBe(0);
    // The lower bound of 5 of 5 is 56.6 %: rounding up would claim more than is known.
    expect(ran.stdout).toMatch(/would have warned at 5 of \d+ `.*` calls; all 5 of these failed, enough for the level/);
    expect(ran.stdout).toContain("3 rules decided");
    const now = new Map((await rules()).map((one) => [one.id, one]));
    const [first, second, third] = waiting;
    expect(now.get(first?.id ?? "")).toMatchObject({ status: "approved" });
    expect(now.get(second?.id ?? "")).toMatchObject({ status: "rejected", level: "watch" });
    expect(now.get(third?.id ?? "")).toMatchObject({ status: "approved", level: "deny" });
  });

  it("ends where the keys end, and with q", async () => {
    expect((await place.run(["review"], { stdin: "" })).stdout).toContain("0 rules decided");
    expect((await place.run(["review"], { stdin: "qa" })).stdout).toContain("0 rules decided");
  });
});

describe("a rule's evidence", () => {
  it("is replayed over everything recorded, with the level it allows", async () => {
    const { id, backtest } = await docker();
    const tested = await place.json<object>(["rules", "backtest", id]);
    expect(tested).toMatchObject({ fired: 5, hits: 5, falseAlarms: 0, ceiling: { level: "nudge" } });
    expect(backtest).toMatchObject({ fired: 5, hits: 5 });
  });

  it("cannot be asked of a rule without a matcher", async () => {
    const { rule } = await place.json<{ rule: { id: string } }>(["learn", "Be brief."]);
    const ran = await place.run(["rules", "backtest", rule.id]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("no matcher");
  });

  it("tells what came of it since it was in force", async () => {
    const { id } = await docker();
    expect(await place.json(["rules", "effect", id])).toMatchObject({
      // No alternative command is known, so opportunities are derived from calls.
      before: { attempts: 5, opportunities: 24 },
      after: { attempts: 0, opportunities: 0 },
      verdict: "not enough data",
    });
  });

  it("of merged rules is one rule's, and the others say nothing any more", async () => {
    const [one, other] = await rules();
    await place.json(["rules", "merge", one?.id ?? "", other?.id ?? ""]);
    const now = await rules();
    expect(now.find((rule) => rule.id === other?.id)).toMatchObject({ status: "merged" });
    expect((await place.run(["rules", "merge", one?.id ?? "", one?.id ?? ""])).code).toBe(2);
  });

  it("in the report: the rule against each mistake, its backtest, and nothing saved that is not proven", async () => {
    const { mistakes } = await place.json<{ mistakes: { rule: object | null }[] }>(["report"]);
    expect(mistakes[0]?.rule).toMatchObject({ status: "candidate", backtest: { hits: 6 }, saved: null });
  });
});

describe("three mistakes of one pattern", () => {
  it("are a rule at the next session's start, with nobody asked", async () => {
    const start = { hook_event_name: "SessionStart", session_id: "next", cwd: place.dir, source: "startup" };
    for (const what of ["pushed a red build", "said done without a run", "merged an unread diff"])
      await place.json([
        "mistake",
        what,
        "--why",
        "took the last run for this one",
        "--should-have",
        "run the tests and read their last line",
        "--pattern",
        "not-verifying",
        "--signal",
        'the last run said "0 tests"',
      ]);
    const ran = await place.run(["hook", "claude-code"], { stdin: JSON.stringify(start) });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(ran.stdout).toContain("run the tests and read their last line");
  });
});
