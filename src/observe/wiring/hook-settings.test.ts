import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { planHooks, removeHooks } from "./hook-settings.ts";

const folder = mkdtempSync(join(tmpdir(), "oldhand-settings-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ours = { type: "command", command: "env -u X /usr/bin/node /opt/oldhand.cjs hook gemini", timeout: 5 };
const theirs = { hooks: [{ type: "command", command: "notify" }] };

describe("hooks in a host's settings", () => {
  it("are added to what is there", () => {
    expect(after({ theme: "dark", hooks: { B: [theirs] } })).toEqual({
      theme: "dark",
      hooks: { A: [{ hooks: [ours] }], B: [theirs, { hooks: [ours] }] },
    });
  });

  it("make a file of their own where there is none", () => {
    const file = planHooks({ host: "gemini", path: join(folder, "none.json"), events: ["A"], hook: ours });
    expect(file).toMatchObject({ before: null, after: expect.stringContaining("hook gemini") });
  });

  it("leave a file that has them as it is, to the last space", () => {
    const text = JSON.stringify({ hooks: { A: [{ hooks: [ours] }], B: [{ hooks: [ours] }] } });
    expect(plan(text)).toMatchObject({ before: text, after: text });
  });

  it("replace those of another copy, and of events no longer heard", () => {
    const older = { ...ours, command: '"/my tools/node" "/my tools/oldhand.cjs" hook gemini --home /x' };
    expect(after({ hooks: { A: [{ hooks: [older] }], C: [{ hooks: [older] }] } })).toEqual({
      hooks: { A: [{ hooks: [ours] }], B: [{ hooks: [ours] }] },
    });
  });

  it("are told from those of another host", () => {
    const others = { hooks: [{ ...ours, command: ours.command.replace("gemini", "qwen") }] };
    expect(after({ hooks: { A: [others] } })).toMatchObject({ hooks: { A: [others, { hooks: [ours] }] } });
  });

  it("go without a trace, and leave what others wrote", () => {
    const before = { theme: "dark", hooks: { B: [theirs] } };
    expect(without(after(before))).toEqual(before);
    expect(without(after({}))).toEqual({});
    expect(removeHooks("not json", "gemini")).toBeNull();
  });

  it("stand at the top of a file that holds nothing else", () => {
    const path = join(folder, "hooks.json");
    writeFileSync(path, JSON.stringify({ B: [theirs] }));
    const text = planHooks({ host: "gemini", path, events: ["A", "B"], hook: ours, isBare: true }).after ?? "";
    expect(JSON.parse(text)).toEqual({ A: [{ hooks: [ours] }], B: [theirs, { hooks: [ours] }] });
    expect(JSON.parse(removeHooks(text, "gemini", true) ?? "")).toEqual({ B: [theirs] });
    expect(JSON.parse(removeHooks(JSON.stringify({ A: [{ hooks: [ours] }] }), "gemini", true) ?? "")).toEqual({});
  });

  it("are not put into a file whose comments would be lost", () => {
    expect(() => plan('{ "theme": "dark" } // mine')).toThrow("not a JSON object");
    expect(() => plan("[]")).toThrow("not a JSON object");
  });
});

function plan(text: string) {
  const path = join(folder, "settings.json");
  writeFileSync(path, text);
  return planHooks({ host: "gemini", path, events: ["A", "B"], hook: ours });
}

function after(settings: object): unknown {
  return JSON.parse(plan(JSON.stringify(settings)).after ?? "");
}

function without(settings: unknown): unknown {
  return JSON.parse(removeHooks(JSON.stringify(settings), "gemini") ?? "");
}
