import { describe, expect, it } from "vitest";
import { type GuardedCall, type GuardrailState, newGuardrail, noteCall, refuseCall } from "./guardrail.ts";

const shell = (command: string): GuardedCall => ({
  tool: "shell",
  input: { command },
  effect: "execute",
  isPoller: false,
});
const read = (path: string): GuardedCall => ({ tool: "read", input: { path }, effect: "read", isPoller: false });
const edit = (text: string): GuardedCall => ({ tool: "write", input: { text }, effect: "edit", isPoller: false });
const failed = { ok: false, text: "exit 1" };
const LONG = "x".repeat(1_000);

/** What the model would see of each call: refused, a warning, a stub, or the result. */
function play(calls: readonly (readonly [GuardedCall, { ok: boolean; text: string }])[]): readonly string[] {
  let state: GuardrailState = newGuardrail;
  return calls.map(([call, result]) => {
    const refused = refuseCall(state, call);
    if (refused !== null) {
      state = refused.state;
      return "refused";
    }
    const next = noteCall(state, call, result);
    state = next.state;
    if (next.text.includes("Warning:")) return "warned";
    return next.text.startsWith("Unchanged since") ? "stub" : "ran";
  });
}

const times = <T>(count: number, ...items: readonly T[]): readonly T[] =>
  Array.from({ length: count }, () => items).flat();

describe("the guardrail", () => {
  it("warns at the second identical failing call and refuses the fifth", () => {
    expect(play(times(6, [shell("npm tset"), failed] as const))).toEqual([
      ..."ran warned warned warned refused refused".split(" "),
    ]);
  });

  it("does not mind the order of the input's members, nor numbers in the errors", () => {
    const call = (input: object): GuardedCall => ({ ...shell(""), input });
    const twice = [
      [call({ a: 1, b: 2 }), { ok: false, text: "failed after 3 ms" }],
      [call({ b: 2, a: 1 }), { ok: false, text: "failed after 4 ms" }],
    ] as const;
    expect(play(twice)).toEqual(["ran", "warned"]);
  });

  it("begins to count again after a success, and after a file was changed", () => {
    const fail = [shell("npm test"), failed] as const;
    expect(play([fail, fail, [shell("npm test"), { ok: true, text: "ok" }], fail])).toEqual([
      ..."ran warned ran ran".split(" "),
    ]);
    expect(
      play(times(6, fail, [edit("a"), { ok: true, text: "wrote" }] as const)).filter((one) => one === "refused"),
    ).toEqual(times(4, "refused"));
    const edits = Array.from({ length: 8 }, (_, at) => [edit(`${at}`), { ok: true, text: "wrote" }] as const);
    expect(play(edits.flatMap((one) => [fail, one]))).not.toContain("refused");
  });

  it("stubs an identical read with the same result, and shows a changed one", () => {
    const same = [read("a"), { ok: true, text: LONG }] as const;
    expect(
      play([same, same, [read("a"), { ok: true, text: `${LONG}!` }], [read("b"), { ok: true, text: LONG }]]),
    ).toEqual([..."ran stub ran ran".split(" ")]);
    expect(play(times(2, [read("a"), { ok: true, text: "short" }] as const))).toEqual(["ran", "ran"]);
    expect(play(times(5, same)).at(-1)).toBe("refused");
  });

  it("sees two calls that alternate without effect", () => {
    const there = [edit("x"), { ok: true, text: "wrote" }] as const;
    const back = [edit("y"), { ok: true, text: "wrote" }] as const;
    const seen = play(times(6, there, back));
    expect(seen.slice(0, 4)).toEqual(["ran", "ran", "ran", "ran"]);
    expect(seen[4]).toBe("warned");
    expect(seen.slice(8)).toEqual(["refused", "refused", "refused", "refused"]);
  });

  it("sees that nothing works, and then allows only reads", () => {
    const calls = Array.from({ length: 11 }, (_, at) => [shell(`try ${at}`), failed] as const);
    const seen = play([...calls, [read("a"), { ok: true, text: "help" }], [shell("try 12"), failed]]);
    expect(seen.slice(3, 6)).toEqual(["ran", "warned", "warned"]);
    expect(seen.slice(9)).toEqual(["warned", "refused", "ran", "ran"]);
  });

  it("lets pollers pass", () => {
    const poll = { ...shell("job status"), isPoller: true };
    expect(play(times(20, [poll, failed] as const))).toEqual(times(20, "ran"));
  });
});
