import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { defaultPolicy } from "../../src/domain/policy.ts";
import { readCall } from "../../src/domain/cause/read-call.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import type { InstallTarget, TranscriptItem } from "../../src/observe/protocol/host.ts";
import { writeHermesSessions } from "../other-stores.ts";

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "oldhand-others-"));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

async function itemsOf(name: string, path?: string): Promise<readonly TranscriptItem[]> {
  const setup = await findHost(name)?.setup();
  const place: InstallTarget = { userHome: home, home, project: null, command: [], env: {}, platform: "linux" };
  const paths = path === undefined ? (setup?.transcripts(place) ?? []) : [path];
  const all: TranscriptItem[] = [];
  for (const one of paths)
    for await (const item of setup?.readTranscript(one, defaultPolicy.observe) ?? []) all.push(item);
  return all;
}

describe("sessions of hosts without hooks of ours", () => {
  it("Hermes: prompts and calls of its database, with how they ended", async () => {
    writeHermesSessions(join(home, ".hermes"));
    const [prompt, call, ...rest] = await itemsOf("hermes");
    expect(rest).toEqual([]);
    expect(prompt).toMatchObject({ kind: "prompt", text: "push my branch", at: 1790000001250, cwd: "/home/ada/shop" });
    expect(call).toMatchObject({
      uid: "c1",
      tool: "terminal",
      input: { command: "git psuh" },
      ok: false,
      exitCode: 1,
      durationMs: 1000,
    });
    expect(call && readCall(call)).toMatchObject({ outcome: "failed", head: "git psuh" });
  });

  it("OpenClaw: as pi keeps them, in its own name", async () => {
    const folder = join(home, ".openclaw", "agents", "main", "sessions");
    mkdirSync(folder, { recursive: true });
    const lines = [
      { type: "session", id: "s2", cwd: "/home/ada/shop", timestamp: "2026-01-01T00:00:00.000Z" },
      {
        type: "message",
        timestamp: "2026-01-01T00:00:01.000Z",
        message: { role: "user", content: "go on", timestamp: 1 },
      },
      {
        type: "message",
        timestamp: "2026-01-01T00:00:02.000Z",
        message: {
          role: "assistant",
          model: "m",
          content: [{ type: "toolCall", id: "c1", name: "exec", arguments: { command: "false" } }],
        },
      },
      {
        type: "message",
        timestamp: "2026-01-01T00:00:03.000Z",
        message: {
          role: "toolResult",
          toolCallId: "c1",
          toolName: "exec",
          isError: true,
          content: [{ type: "text", text: "Command exited with code 1" }],
        },
      },
    ];
    writeFileSync(join(folder, "s2.jsonl"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect(await itemsOf("openclaw")).toMatchObject([
      { host: "openclaw", kind: "prompt", text: "go on" },
      { host: "openclaw", session: "s2", tool: "exec", ok: false, uid: "c1" },
    ]);
  });

  it("Aider: what its user said, session by session, and the same names every time", async () => {
    const path = join(home, ".aider.chat.history.md");
    writeFileSync(
      path,
      [
        "# aider chat started at 2026-01-31 12:00:00",
        "",
        "> Aider v0.86",
        "#### no, use pnpm  ",
        "#### and nothing else",
        "",
        "Sure.",
        "#### /exit",
        "",
        "# aider chat started at 2026-02-01 09:30:00",
        "#### push it",
        "",
      ].join("\n"),
    );
    const items = await itemsOf("aider", path);
    expect(items.map((item) => item.text)).toEqual(["no, use pnpm  \nand nothing else", "/exit", "push it"]);
    expect(new Set(items.map((item) => item.session)).size).toBe(2);
    expect(items.every((item) => item.cwd === home)).toBe(true);
    expect(await itemsOf("aider", path)).toEqual(items);
  });
});
