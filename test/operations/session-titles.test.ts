import { describe, expect, it } from "vitest";
import { readSessionTitles } from "../../src/operations/sessions/session-titles.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { anEvent } from "../store/samples.ts";
import { stores, withStore } from "../stores.ts";

describe.each(stores)("titles of sessions, on $name", (kind) => {
  it("are the first prompt, else the first deed, of each session and host by itself", () =>
    withStore(kind, async ({ db }) => {
      const call = (session: string, seq: number, command: string, host = "claude-code") =>
        anEvent(`${session} ${seq}`, { host, session, seq, kind: "call", tool: "Bash", input: { command } });
      const prompt = (session: string, seq: number, text: string) =>
        anEvent(`${session} ${seq}`, { session, seq, kind: "prompt", tool: null, input: null, text });
      await appendEvents(db, [
        call("asked", 0, "git status"),
        prompt("asked", 1, "<command-name>/clear</command-name>"),
        prompt("asked", 2, "Mend the mill wheel"),
        prompt("asked", 3, "and the door"),
        call("silent", 0, "make flour"),
        call("silent", 1, "make bread"),
        call("asked", 0, "cargo build", "codex"),
      ]);
      const titleOf = await readSessionTitles({ db }, [
        { host: "claude-code", id: "asked" },
        { host: "codex", id: "asked" },
        { host: "claude-code", id: "silent" },
      ]);
      expect(titleOf({ host: "claude-code", id: "asked" })).toBe("Mend the mill wheel");
      expect(titleOf({ host: "codex", id: "asked" })).toBe("cargo build");
      expect(titleOf({ host: "claude-code", id: "silent" })).toBe("make flour");
      expect(titleOf({ host: "claude-code", id: "gone" })).toBeNull();
    }));
});
