import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { type AgentEvent, type Mind, openMind } from "../../src/index.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { fixedClock, MINUTE } from "../../src/lib/clock.ts";
import { isWellFormed, malformed } from "../malformed.ts";
import { stores } from "../stores.ts";

const NOW = Date.parse("2026-11-16T09:30:00Z");

type Happening = AgentEvent extends infer One ? (One extends unknown ? Omit<One, "session" | "cwd"> : never) : never;

/** Reports what one agent does, in the format of a host, and returns what the agent is shown. */
interface Sender {
  readonly host: string;
  sendEvent(session: string, happening: Happening): Promise<string>;
}

// Claude Code reminds at a stop only if a person is at the screen.
beforeEach(() => vi.stubEnv("CLAUDE_CODE_ENTRYPOINT", "cli").stubEnv("CLAUDE_CODE_SESSION_ATTENDED", "1"));
afterEach(() => vi.unstubAllEnvs());

describe.each(stores)("oldhand's own agent on $name", (kind) => {
  const inMind = async (act: (mind: Mind, clock: ReturnType<typeof fixedClock>, folder: string) => Promise<void>) => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-agent-"));
    const { database, remove } = await kind.migrated();
    const clock = fixedClock(NOW);
    const mind = await openMind({ home: join(folder, "home"), database, clock, env: { OLDHAND_EMBEDDER: "none" } });
    try {
      await act(mind, clock, folder);
    } finally {
      await mind.close();
      await remove();
      rmSync(folder, { recursive: true, force: true });
    }
  };

  it("is observed, learned from and advised at every moment, exactly like another host's", async () => {
    const texts: Record<string, readonly string[]> = {};
    for (const sender of [ownAgent, claudeCode]) {
      await inMind(async (mind, clock, folder) => {
        const { host, sendEvent } = sender(mind, folder);
        for (const session of ["one", "two", "three"]) await failAtNpm(sendEvent, session, clock);
        const { proposals } = (await mind.distil({ write: true })) as {
          readonly proposals: readonly { readonly id: string; readonly hosts?: unknown }[];
        };
        expect(proposals.length).toBeGreaterThan(0);
        for (const { id } of proposals) await mind.run("rules approve", { id });
        await mind.run("remember", { text: "The tests of the shop run with pnpm" });
        clock.advance(MINUTE);
        const said = [
          await sendEvent("four", { moment: "session-start", source: "startup" }),
          await sendEvent("five", { moment: "prompt", prompt: "run the npm tests of the shop", promptId: "p5" }),
          await sendEvent("six", { moment: "before-call", ...npmTest("c6") }),
          await sendEvent("seven", { moment: "after-call", ...npmTest("c7"), ...failure }),
          await sendEvent("seven", { moment: "stop", again: false }),
        ];
        for (const [at, text] of said.entries()) expect(text, `moment ${at}`).toContain(at === 4 ? "npm test" : "npm");
        const { sessions } = (await mind.run("sessions list", {})) as {
          readonly sessions: readonly { readonly host: string }[];
        };
        expect(new Set(sessions.map((one) => one.host))).toEqual(new Set([host]));
        texts[host] = said.map(withoutNames);
      });
    }
    // Claude Code shows the note with the result; our own agent reads it in time.
    const inTime = texts["claude-code"]?.map((text) =>
      text.replace(" If the call worked all the same, ignore this.", ""),
    );
    expect(texts["oldhand"]).toEqual(inTime);
  });

  it("obeys a rule that denies, and the denied call is stored", () =>
    inMind(async (mind, _clock, folder) => {
      await mind.run("learn", { text: "Never publish by hand.", command: "npm publish", level: "deny" });
      const call = { tool: "Bash", input: { command: "npm publish" }, callId: "c1" } as const;
      const reply = await mind.attend({ session: "s", cwd: folder, moment: "before-call", ...call });
      expect(reply.decision).toMatchObject({ kind: "deny" });
      expect(reply.decision?.reason).toContain("Never publish by hand.");
      const report = (await mind.run("status")) as { readonly counts: { readonly events: number } };
      expect(report.counts.events).toBe(1);
    }));

  it("is answered with nothing where there is nothing to say, and takes several events at once", () =>
    inMind(async (mind, _clock, folder) => {
      const at = { session: "s", cwd: folder } as const;
      expect(
        await mind.attend([
          { ...at, moment: "session-start", source: null },
          { ...at, moment: "prompt", prompt: "hello", promptId: null },
        ]),
      ).toEqual({});
      const { counts } = (await mind.run("status")) as { readonly counts: { readonly events: number } };
      expect(counts.events).toBe(2);
      expect(await mind.observe("oldhand", { session: "s", moment: "stop" })).toBe("");
    }));
});

describe("the protocol of oldhand's own agent", () => {
  it("never fails on a malformed event, and leaves out what is none", async () => {
    const protocol = await findHost("oldhand")?.protocol();
    const common = { session: "s", cwd: "/w", model: "m", agent: null };
    const events = [
      { ...common, moment: "session-start", source: "startup" },
      { ...common, moment: "prompt", prompt: "hello", promptId: "p" },
      { ...common, moment: "before-call", ...npmTest("a") },
      { ...common, moment: "after-call", ...npmTest("b"), ...failure },
      { ...common, moment: "stop", again: false, said: "done" },
      { ...common, moment: "session-end", reason: null },
    ];
    expect(protocol?.decode(events, {})).toHaveLength(events.length);
    for (const payload of malformed([...events, events], 3_000))
      for (const event of protocol?.decode(payload, {}) ?? []) expect(isWellFormed(event)).toBe(true);
  });
});

/** Removes what differs between minds: ids, quotation marks, the host's name. */
function withoutNames(text: string): string {
  return text
    .replaceAll(/\b([mr])_\w+/g, "$1_")
    .replaceAll(/oldhand [0-9a-f]{16}/g, "oldhand MARK")
    .replaceAll(/ of (?:oldhand|claude-code), until/g, " of HOST, until");
}

const npmTest = (callId: string) => ({ tool: "Bash", input: { command: "npm test" }, callId });
const failure = { ok: false, text: 'Exit code 1\nnpm error Missing script: "test"', exitCode: null, durationMs: 5 };

async function failAtNpm(sendEvent: Sender["sendEvent"], session: string, clock: ReturnType<typeof fixedClock>) {
  const pnpm = { tool: "Bash", input: { command: "pnpm test" }, callId: `${session}-d` };
  await sendEvent(session, { moment: "session-start", source: "startup" });
  for (const n of ["a", "b"]) {
    clock.advance(MINUTE);
    await sendEvent(session, { moment: "after-call", ...npmTest(`${session}-${n}`), ...failure });
  }
  await sendEvent(session, { moment: "after-call", ...pnpm, ok: true, text: "ok", exitCode: null, durationMs: 5 });
  await sendEvent(session, { moment: "session-end", reason: null });
}

function ownAgent(mind: Mind, cwd: string): Sender {
  return {
    host: "oldhand",
    sendEvent: async (session, happening) => {
      const { context, decision } = await mind.attend({ session, cwd, ...happening } as AgentEvent);
      return context ?? decision?.reason ?? "";
    },
  };
}

/** The same as Claude Code's hook payloads. */
function claudeCode(mind: Mind, cwd: string): Sender {
  return {
    host: "claude-code",
    sendEvent: async (session, happening) => {
      const payload = { session_id: session, cwd, transcript_path: "none", ...inClaudeWords(happening) };
      const text = await mind.observe("claude-code", payload);
      const reply = JSON.parse(text === "" ? "{}" : text) as ClaudeReply;
      return reply.hookSpecificOutput?.additionalContext ?? reply.reason ?? "";
    },
  };
}

interface ClaudeReply {
  readonly hookSpecificOutput?: { readonly additionalContext?: string };
  readonly reason?: string;
}

function inClaudeWords(happening: Happening): object {
  switch (happening.moment) {
    case "session-start":
      return { hook_event_name: "SessionStart", source: happening.source };
    case "prompt":
      return { hook_event_name: "UserPromptSubmit", prompt: happening.prompt, prompt_id: happening.promptId };
    case "before-call":
      return { hook_event_name: "PreToolUse", ...inClaudeCall(happening) };
    case "after-call":
      return happening.ok
        ? { hook_event_name: "PostToolUse", ...inClaudeCall(happening), tool_response: { stdout: happening.text } }
        : { hook_event_name: "PostToolUseFailure", ...inClaudeCall(happening), error: happening.text };
    case "stop":
      return { hook_event_name: "Stop", stop_hook_active: happening.again };
    case "session-end":
      return { hook_event_name: "SessionEnd", reason: happening.reason };
  }
}

function inClaudeCall({ tool, input, callId }: { tool: string; input: unknown; callId: string | null }): object {
  return { tool_name: tool, tool_input: input, tool_use_id: callId };
}
