import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { defaultPolicy } from "../../../domain/policy.ts";
import { readCall } from "../../../domain/cause/read-call.ts";
import type { TranscriptItem } from "../../protocol/host.ts";
import { readTranscript } from "./transcript.ts";

const fixture = fileURLToPath(new URL("fixtures/session.json", import.meta.url));

async function read(): Promise<readonly TranscriptItem[]> {
  const items: TranscriptItem[] = [];
  for await (const item of readTranscript(fixture, defaultPolicy.observe)) items.push(item);
  return items;
}

describe("a session file of Continue", () => {
  it("tells the prompt and every call with its end, in their order after the beginning", async () => {
    const items = await read();
    expect(items.map((item) => [item.kind, item.tool, item.ok, item.at])).toEqual([
      ["prompt", null, null, 1794788959731],
      ["call", "Bash", true, 1794788959732],
      ["call", "Bash", false, 1794788959733],
      ["call", "Read", false, 1794788959734],
    ]);
    expect(items[0]).toMatchObject({ host: "continue", cwd: "/home/ada/shop", text: "push my branch" });
    expect(items[2]).toMatchObject({
      uid: expect.stringContaining("call_"),
      input: { command: "git psuh origin main" },
    });
  });

  it("has the exit code in its words", async () => {
    const items = await read();
    const failed = items.find((item) => item.ok === false);
    expect(failed && readCall(failed)).toMatchObject({ outcome: "failed", exitCode: 1, head: "git psuh" });
  });
});
