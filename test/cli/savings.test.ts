import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { DAY, systemClock } from "../../src/lib/clock.ts";
import { claudeTranscript } from "../claude-transcript.ts";
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

interface Cost {
  readonly calls: number;
  readonly minutes: number;
  readonly tokens: number;
}

interface Logged {
  readonly count: number;
  readonly cost: Cost;
  readonly rule: { readonly id: string; readonly saved: (Cost & { readonly low: Cost; readonly high: Cost }) | null };
}

interface Effect {
  readonly verdict: string;
  readonly ratio: number;
  readonly after: { readonly opportunities: number };
  readonly saved: { readonly attempts: number; readonly low: number; readonly high: number } | null;
}

const wrong = { command: "npm install", error: "Exit code 1\nnpm error code EUNSUPPORTEDPROTOCOL workspace:" };
const right = { command: "pnpm install", out: "Done in 2s" };

/**
 * Records sessions with eight installations each, `wrongs` of them wrong at first; sessions begin 100 ms apart. Each is of
 * another package: a call that is repeated is no further chance.
 */
async function work(name: string, sessions: number, at: number, wrongs: number): Promise<void> {
  const files = Array.from({ length: sessions }, (_, n) => {
    const calls = Array.from({ length: 8 }, (_unused, at) => [
      ...(at < wrongs ? [{ ...wrong, command: `${wrong.command} left-pad-${at}` }] : []),
      { ...right, command: `${right.command} left-pad-${at}` },
    ]).flat();
    const file = join(place.dir, `${name}-${n}.jsonl`);
    writeFileSync(file, claudeTranscript({ session: `${name}-${n}`, version: "2.1.1", at: at + n * 100, calls }));
    return file;
  });
  await place.json(["import", ...files]);
}

async function ruled(): Promise<string> {
  await work("before", 25, systemClock.now() - 10 * DAY, 5);
  await place.json(["distil", "--write"]);
  const [rule] = await place.json<{ id: string }[]>(["rules", "list"]);
  await place.json(["rules", "edit", rule?.id ?? "", "--text", "Use pnpm, not npm."]);
  await place.json(["rules", "approve", rule?.id ?? ""]);
  return rule?.id ?? "";
}

async function mistake(): Promise<Logged> {
  const { mistakes } = await place.json<{ mistakes: Logged[] }>(["report"]);
  return mistakes[0] as Logged;
}

describe("what a rule saved", () => {
  it("is nothing while nothing is proven, then the attempts that were not made, at what one costs, with its interval", async () => {
    const id = await ruled();
    expect(await mistake()).toMatchObject({ count: 125, rule: { id, saved: null } });
    expect(await place.json<Effect>(["rules", "effect", id])).toMatchObject({
      verdict: "not enough data",
      saved: null,
    });
    expect((await place.run(["report"])).stdout).not.toMatch(/saved|verdict/);

    await work("after", 25, systemClock.now() + 1_000, 0);
    // The report first: it counts new events by itself.
    const logged = await mistake();
    const effect = await place.json<Effect>(["rules", "effect", id]);
    expect(effect).toMatchObject({ verdict: "works", after: { opportunities: 200 } });
    const { saved } = effect;
    if (saved === null || logged.rule.saved === null) throw new Error("it is proven");
    // Five of eight before, none now: close to 125 of 200 with its interval, but below: none in 200 does not prove a
    // rate of 0.
    expect(saved.attempts).toBeGreaterThan(118);
    expect(saved.attempts).toBeLessThan(125);
    expect(saved.low).toBeGreaterThan(110);
    expect(saved.low).toBeLessThan(saved.attempts);
    expect(saved.high).toBeGreaterThan(saved.attempts);
    expect(saved.high).toBeLessThan(125);
    const each = logged.cost.calls / logged.count;
    expect(logged.rule.saved.calls).toBeCloseTo(each * saved.attempts, 0);
    expect(logged.rule.saved.low.calls).toBeCloseTo(each * saved.low, 0);
    expect(logged.rule.saved.high.calls).toBeCloseTo(each * saved.high, 0);
    expect(logged.rule.saved.minutes).toBeCloseTo((logged.cost.minutes / logged.count) * saved.attempts, 0);
    expect(logged.rule.saved.tokens).toBeGreaterThan(0);
    expect((await place.run(["report"])).stdout).toMatch(
      /\(verdict: works; failed 125 of 125; saved .* calls, .* tokens, 95 %: /,
    );
    expect((await place.run(["rules"])).stdout).toContain("(verdict: works)");
    expect((await place.run(["rules", "effect", id])).stdout).toMatch(
      / {2}saved +about \d+ mistakes \(95 %: \d+ to \d+\)/,
    );
  }, 120_000);

  it("is nothing where the proof says that the rule has no effect", async () => {
    const id = await ruled();
    await work("after", 60, systemClock.now() + 1_000, 5);
    expect(await place.json<Effect>(["rules", "effect", id])).toMatchObject({ verdict: "no effect", saved: null });
    expect((await mistake()).rule).toMatchObject({ id, saved: null });
  }, 120_000);
});
