import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { isTranscript, readTranscript } from "./transcript.ts";

const path = fileURLToPath(new URL("fixtures/rollout.jsonl", import.meta.url));
const lines = readFileSync(path, "utf8").trim().split("\n");
const folder = mkdtempSync(join(tmpdir(), "oldhand-codex-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a transcript of Codex", () => {
  it("gives what was asked and every call with its outcome", async () => {
    const items = await all(path);
    expect(items.map((item) => [item.kind, item.uid, item.tool, outcomeOf(item)])).toEqual([
      ["prompt", expect.stringMatching(/^prompt:01a1e133-a919-[\w-]+:[0-9a-f]{16}$/), null, null],
      ["call", "call_1", "Bash", "denied"],
      ["call", "call_2", "Bash", "failed"],
      ["call", "call_4", "write_stdin", "failed"],
      ["call", "call_5", "apply_patch", "failed"],
      ["call", "call_6", "Bash", "failed"],
      ["call", "call_7", "Bash", "failed"],
      ["call", "call_9", "Bash", "ok"],
      // Still running when the session ended, which stopped it.
      ["call", "call_8", "Bash", "ok"],
      ["call", "call_3", "Bash", "ok"],
    ]);
  });

  it("names calls as the hooks do", async () => {
    const [, , failed] = await all(path);
    expect(failed).toMatchObject({
      host: "codex",
      session: "01a1e133-a8ee-7350-8537-4f8dc2adde28",
      cwd: "/home/ada/shop",
      model: "gpt-5.5",
      agent: null,
      tool: "Bash",
      input: { command: "cat nope.txt; exit 3" },
      ok: false,
      exitCode: 3,
      error: expect.stringContaining("cat: nope.txt: No such file or directory"),
      text: null,
      durationMs: 0,
    });
  });

  it("gives what a command came to that went on by itself", async () => {
    const late = lines.map((line) =>
      line.includes('"CommandExecution","id":"call_8"')
        ? line
            .replace('"aggregated_output":""', '"aggregated_output":"no such table\\n"')
            .replace('"exit_code":-1', '"exit_code":7')
        : line,
    );
    const call = (await all(written(late))).find((item) => item.uid === "call_8");
    expect(call).toMatchObject({
      ok: false,
      exitCode: 7,
      error: "no such table\n",
      input: { command: "sleep 12; exit 7" },
    });
  });

  it("is read where it has the older form", async () => {
    const call = (call_id: string, name: string, args: unknown) =>
      line("response_item", { type: "function_call", name, call_id, arguments: JSON.stringify(args) });
    const output = (call_id: string, text: string) =>
      line("response_item", { type: "function_call_output", call_id, output: text });
    const items = await all(
      written([
        line("session_meta", { id: "s1", cwd: "/home/ada/shop" }),
        line("turn_context", { turn_id: "t1", cwd: "/home/ada/shop/web", model: "gpt-5" }),
        line("event_msg", { type: "user_message", message: "list the files" }),
        call("a", "shell", { command: ["bash", "-lc", "ls nope"] }),
        output(
          "a",
          JSON.stringify({ output: "ls: nope: No such file", metadata: { exit_code: 2, duration_seconds: 0 } }),
        ),
        call("b", "shell_command", { command: "ls" }),
        output("b", "Exit code: 0\nWall time: 0 seconds\nOutput:\na.txt"),
        call("c", "mini_probe", { q: 1 }),
        output("c", "found"),
        line("response_item", { type: "local_shell_call", call_id: "d", action: { command: ["git", "status"] } }),
        output("d", "aborted by user after 3.2s"),
      ]),
    );
    expect(items.map((item) => [item.uid, item.tool, item.input, outcomeOf(item), item.cwd])).toEqual([
      [expect.stringMatching(/^prompt:t1:/), null, null, null, "/home/ada/shop/web"],
      ["a", "Bash", { command: "ls nope" }, "failed", "/home/ada/shop/web"],
      ["b", "Bash", { command: "ls" }, "ok", "/home/ada/shop/web"],
      ["c", "mini_probe", { q: 1 }, "ok", "/home/ada/shop/web"],
      ["d", "Bash", { command: "git status" }, "interrupted", "/home/ada/shop/web"],
    ]);
  });

  it("belongs to the session it begins with, though it repeats another's lines", async () => {
    const forked = [line("session_meta", { id: "s2", session_id: "s2", cwd: "/home/ada/other" }), ...lines];
    expect(new Set((await all(written(forked))).map((item) => item.session))).toEqual(new Set(["s2"]));
  });

  it("is a sub-agent's where its thread is not the session, and then nobody asked anything", async () => {
    const sub = [line("session_meta", { id: "t2", session_id: "s2", cwd: "/home/ada/shop" }), ...lines.slice(1)];
    const items = await all(written(sub));
    expect(new Set(items.map((item) => [item.kind, item.session, item.agent].join()))).toEqual(new Set(["call,s2,t2"]));
  });

  it("gives what it can where lines are cut off or none", async () => {
    for (let end = 0; end < lines.length; end++) {
      const cut = [...lines.slice(0, end), (lines[end] ?? "").slice(0, 40), "", "null", "[]", '{"payload":3}'];
      expect((await all(written(cut))).every((item) => item.uid !== "")).toBe(true);
    }
  });

  it("is recognised by its first line", () => {
    expect(isTranscript(JSON.parse(lines[0] ?? "") as Record<string, unknown>)).toBe(true);
    expect(isTranscript({ type: "summary", payload: {} })).toBe(false);
  });
});

function line(type: string, payload: object): string {
  return JSON.stringify({ timestamp: "2026-11-15T12:00:00.000Z", type, payload });
}

function written(text: readonly string[]): string {
  const file = join(folder, "rollout.jsonl");
  writeFileSync(file, `${text.join("\n")}\n`);
  return file;
}

async function all(file: string): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(file, defaultPolicy.observe)) items.push(item);
  return items;
}

function outcomeOf(item: TranscriptItem): string | null {
  return item.kind === "call" ? readCall(item).outcome : null;
}
