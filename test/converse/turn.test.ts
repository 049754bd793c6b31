import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { stores } from "../stores.ts";
import { CLAUDE, endOf, hear, saidIn, textsOf, withChat } from "./lab/chat-lab.ts";

describe.each(stores)("a turn ($name)", (kind) => {
  it("ends with the model's answer; every step is an entry, in the store and in the JSONL log", () =>
    withChat(
      kind,
      {
        script: [
          { text: "Let me look.", calls: [{ tool: "read", input: { path: "cart.ts" } }] },
          { text: "It adds two numbers.", usage: { in: 200, out: 9, cached: 150 } },
        ],
        files: { "cart.ts": "export const add = (a, b) => a + b;" },
      },
      async ({ open, sent, home, model }) => {
        const session = await open();
        const events = await hear(session.send("What does cart.ts do?"));
        expect(endOf(events)).toEqual({ reason: "done", message: null });
        expect(saidIn(events)).toBe("Let me look.It adds two numbers.");
        expect(session.entries().map(({ kind }) => kind)).toEqual([
          ..."user system assistant tool assistant turn-end".split(" "),
        ]);
        expect(session.usage()).toMatchObject({ model: CLAUDE, calls: 2, tokensIn: 300, tokensOut: 29 });
        expect(session.usage()).toMatchObject({ tokensCached: 150, contextTokens: 209 });
        expect(session.usage().cost).toBeGreaterThan(0);
        expect(model.requests).toHaveLength(2);
        expect(sent(1).messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
        expect(textsOf(sent(1)).at(-1)).toBe("export const add = (a, b) => a + b;");
        await session.close();
        const lines = readFileSync(join(home, "sessions", `${session.id}.jsonl`), "utf8")
          .trim()
          .split("\n");
        expect(lines.map((line) => (JSON.parse(line) as { kind: string }).kind)).toEqual([
          ..."session user system assistant tool assistant turn-end".split(" "),
        ]);
      },
    ));
});
