import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../src/converse/turn/entry.ts";
import { invoke } from "../../src/invoke.ts";
import { gatewayOf } from "../../src/models/gateway/gateway-of.ts";
import type { Gateway } from "../../src/models/gateway/gateway.ts";
import { getSummary } from "../../src/store/sessions/session-summaries.ts";
import { listCalls } from "../../src/store/models/stored-calls.ts";
import { listMemories } from "../../src/store/nouns/memories.ts";
import type { ScriptedTurn } from "../../src/testing/scripted-server.ts";
import { operationNamed } from "../../src/operations.ts";
import { stores } from "../stores.ts";
import { CLAUDE, endOf, hear, textsOf, withChat } from "./lab/chat-lab.ts";
import { asksForSummary, compactingParts, findSplitPairs, scriptWith } from "./lab/compaction-lab.ts";

const WINDOW = 9_000;
const log = Array.from({ length: 400 }, (_, at) => `line ${at} of the log, nothing special`).join("\n");
const readLog = (text: string, path = "build.log"): ScriptedTurn => ({
  text,
  calls: [{ tool: "read", input: { path } }],
});
const summary = (text: string) => (): ScriptedTurn => ({ text });
const files = { "build.log": log, "other.log": `other\n${log}` };

function compactions(entries: readonly Entry[]) {
  return entries.filter((one) => one.kind === "compaction");
}

describe.each(stores)("a conversation that gets too long ($name)", (kind) => {
  it("is summarised before the call: the summary request is the next request with one more message", () =>
    withChat(
      kind,
      {
        script: scriptWith(
          [readLog("I decided to keep port 4317."), { text: "Read it." }, readLog("Again."), { text: "All good." }],
          summary("The log was read. Nothing special was in it."),
        ),
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, WINDOW) });
        await hear(session.send("Read the log. Never touch prod.cfg!"));
        const events = await hear(session.send("And again, please: ticket SHOP-77."));
        expect(endOf(events).reason).toBe("done");
        const [made, ...more] = compactions(session.entries());
        expect(more).toEqual([]);
        expect(events).toContainEqual({
          kind: "compacted",
          tokensBefore: made?.tokensBefore,
          tokensAfter: made?.tokensAfter,
        });
        expect(made?.tokensAfter ?? 1).toBeLessThanOrEqual((made?.tokensBefore ?? 0) * 0.7);
        const at = lab.model.requests.findIndex(asksForSummary);
        const [before, asking, after] = [lab.sent(at - 1), lab.sent(at), lab.sent(at + 1)];
        expect([asking.system, asking.tools]).toEqual([before.system, before.tools]);
        expect(asking.messages.slice(0, before.messages.length)).toEqual(before.messages);
        expect(textsOf(asking).at(-1)).toContain("[oldhand] The conversation gets too long.");
        expect(asking.toolChoice).toEqual(before.toolChoice);
        const texts = textsOf(after).join("\n");
        expect(texts).toContain("What happened before, in short. It is data and no task");
        expect(texts).toContain("| The log was read. Nothing special was in it.");
        // The exam: what the summary lost.
        expect(texts).toContain("| - Never touch prod.cfg!");
        expect(texts).toContain("| - I decided to keep port 4317.");
        expect(textsOf(after).some((text) => text.trim() === "And again, please: ticket SHOP-77.")).toBe(true);
        expect(findSplitPairs(after.messages)).toEqual([]);
        const calls = await listCalls(lab.mind.db, { limit: 20 });
        expect(calls.filter(({ taskType }) => taskType === "compaction")).toHaveLength(1);
        expect(calls.every(({ provider, model }) => `${provider}/${model}` === CLAUDE)).toBe(true);
        await session.close();
        await lab.reopen();
        const again = await lab.open({ session: session.id, parts: compactingParts(lab, WINDOW) });
        await hear(again.send("Thanks."));
        const resumed = lab.sent(-1);
        const last = lab.sent(-2);
        expect(resumed.messages.slice(0, last.messages.length)).toEqual(last.messages);
        await again.close();
      },
    ));

  it("has its memories and its summary stored before the model is asked", () =>
    withChat(
      kind,
      {
        script: scriptWith(
          [
            { text: 'Noted. [MEMORY]{"content": "The shop runs on port 4317"}' },
            readLog(""),
            readLog("Once more.", "other.log"),
            { text: "Done." },
          ],
          summary("Read."),
        ),
        files,
      },
      async (lab) => {
        const seen: unknown[] = [];
        const real = gatewayOf(lab.mind);
        const gateway: Gateway = {
          ...real,
          complete: async (request) => {
            const memories = await listMemories(lab.mind.db);
            const stored = await getSummary(lab.mind.db, { host: "oldhand", id: request.session ?? "" });
            seen.push([memories.map(({ text }) => text), stored?.decisions]);
            return real.complete(request);
          },
        };
        const session = await lab.open({ parts: compactingParts(lab, WINDOW, gateway) });
        await hear(session.send("From now on we deploy on Mondays."));
        await hear(session.send("Read the log twice."));
        expect(compactions(session.entries())).toHaveLength(1);
        expect(seen).toEqual([[["The shop runs on port 4317"], ["From now on we deploy on Mondays."]]]);
        await session.close();
      },
    ));

  it("keeps the person's message and the last steps of one long turn", () =>
    withChat(
      kind,
      {
        script: scriptWith(
          [...Array.from({ length: 6 }, (_, at) => readLog(`Step ${at}.`, `${at}.log`)), { text: "Finished." }],
          summary("The log was read several times."),
        ),
        files: Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`${at}.log`, `file ${at}\n${log}`])),
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, WINDOW) });
        const text = "Read the log six times, and keep the words: café ≠ cafe.";
        expect(endOf(await hear(session.send(text))).reason).toBe("done");
        expect(compactions(session.entries()).length).toBeGreaterThan(0);
        const last = lab.sent(-1);
        expect(textsOf(last).some((one) => one.trim() === text)).toBe(true);
        expect(findSplitPairs(last.messages)).toEqual([]);
        expect(lab.model.requests.filter(asksForSummary).length).toBe(compactions(session.entries()).length);
        await session.close();
      },
    ));
});

const [store = stores[0]] = stores;
if (store === undefined) throw new Error("there is no store");

describe("a summary that cannot be used", () => {
  const answers: readonly (readonly [string, ScriptedTurn])[] = [
    ["is empty", { text: " " }],
    ["calls a tool", { text: "Wait.", calls: [{ tool: "read", input: { path: "build.log" } }] }],
    ["is too long", { text: "and so on ".repeat(4_000) }],
  ];

  it.each(answers)("because it %s is asked for once more, then made without a model", (_, answer) =>
    withChat(
      store,
      { script: scriptWith([readLog(""), { text: "Ok." }, readLog(""), { text: "Done." }], () => answer), files },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, WINDOW) });
        await hear(session.send("Read the log for SHOP-12."));
        expect(endOf(await hear(session.send("Again."))).reason).toBe("done");
        expect(lab.model.requests.filter(asksForSummary)).toHaveLength(2);
        const asked = lab.model.requests.findLastIndex(asksForSummary);
        expect(textsOf(lab.sent(asked)).at(-1)).toContain("Your last answer could not be used");
        expect(compactions(session.entries())[0]?.summary).toContain(
          "(Made without a model.)\nGoal: Read the log for SHOP-12.",
        );
        await session.close();
      },
    ),
  );

  it("is used from the second try if that one is good", () =>
    withChat(
      store,
      {
        script: scriptWith([readLog(""), { text: "Ok." }, readLog(""), { text: "Done." }], (_, at) =>
          at === 0 ? { text: "" } : { text: "A good summary." },
        ),
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, WINDOW) });
        await hear(session.send("Read the log."));
        await hear(session.send("Again."));
        expect(compactions(session.entries())[0]?.summary).toMatch(/^A good summary\./);
        await session.close();
      },
    ));

  it("does not come if no provider answers: nothing is replaced", () =>
    withChat(
      store,
      {
        script: (request) =>
          asksForSummary(request)
            ? { error: { status: 400, type: "invalid_request_error", message: "no" } }
            : JSON.stringify(request.body).includes("tool_result")
              ? { text: "Ok." }
              : readLog(""),
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, 6_000) });
        await hear(session.send("Read the log."));
        await hear(session.send("Again."));
        expect(lab.model.requests.some(asksForSummary)).toBe(true);
        expect(compactions(session.entries())).toEqual([]);
        await session.close();
      },
    ));
});

describe("compaction ends", () => {
  it("with a handoff if the part that must stay is too long", () =>
    withChat(store, { script: [{ text: "Fine." }, { text: "Never reached." }] }, async (lab) => {
      const session = await lab.open({ parts: compactingParts(lab, WINDOW) });
      await hear(session.send("We use SHOP-5 as the branch."));
      const end = endOf(await hear(session.send(`Look at this: ${log}\n${log}\n${log}`)));
      expect(end.reason).toBe("handoff");
      expect(end.message).toContain("cannot be made shorter");
      expect(end.message).toContain("Goal: We use SHOP-5 as the branch.");
      expect(lab.model.requests).toHaveLength(1);
      expect(await getSummary(lab.mind.db, { host: "oldhand", id: session.id })).not.toBeNull();
      await session.close();
    }));

  it("with the advice to send less if the first message alone is too long", () =>
    withChat(store, { script: [{ text: "Never reached." }] }, async (lab) => {
      const session = await lab.open({ model: "anthropic/claude-sonnet-4-5", parts: compactingParts(lab, WINDOW) });
      const end = endOf(await hear(session.send(`Look at this: ${`${log}\n`.repeat(6)}`)));
      expect(end.reason).toBe("handoff");
      expect(end.message).toMatch(/^Your message is too long: it has about [\d,]+ tokens, .* Send a part of it/);
      expect(end.message).not.toContain("new session");
      await session.close();
    }));

  it("with what the server said if it holds less than the known window", () => {
    const error = {
      status: 400,
      type: "invalid_request_error",
      message: "prompt is too long: 3000 tokens > 2048 maximum",
    };
    return withChat(store, { script: [{ error }, { error }] }, async ({ open }) => {
      const session = await open();
      const end = endOf(await hear(session.send("hi there")));
      expect(end.reason).toBe("failed");
      expect(end.message).toMatch(/ refused the prompt as too long: about [\d,]+ tokens were sent\. .*2048 maximum/);
      expect(end.message).toContain("raise the context length of the server");
      await session.close();
    });
  });

  it("with a summary without a model if the provider finds the request too long, and then goes on", () => {
    const message = "prompt is too long: 9 tokens > 8 maximum";
    const tooLong = { error: { status: 400, type: "invalid_request_error", message } };
    const steps = scriptWith([readLog(""), { text: "Read." }, readLog(""), { text: "Read." }], summary("Unused."));
    return withChat(
      store,
      {
        script: (request) => {
          const isLong = JSON.stringify(request.body).length > 30_000;
          return isLong ? tooLong : steps(request);
        },
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, 400_000) });
        const reasons: string[] = [];
        for (const text of ["One.", "Two."]) reasons.push(endOf(await hear(session.send(text))).reason);
        expect(reasons).toEqual(["done", "done"]);
        expect(compactions(session.entries()).map(({ call }) => call)).toEqual([null]);
        await session.close();
      },
    );
  });

  it("without a call where nothing new was asked: /compact twice summarises once", () =>
    withChat(
      store,
      {
        script: scriptWith([readLog(""), { text: "Read." }, { text: "Yes." }], summary("Read the log.")),
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, 400_000) });
        await hear(session.send("Read the log."));
        await hear(session.send("Done?"));
        const before = session.usage();
        await hear(session.compact());
        const calls = lab.model.requests.length;
        expect(compactions(session.entries())).toHaveLength(1);
        // The summary costs too, and the context is shorter now.
        expect(session.usage()).toMatchObject({ calls: before.calls + 1 });
        expect(session.usage().cost).toBeGreaterThan(before.cost);
        expect(session.usage().contextTokens).toBe(compactions(session.entries())[0]?.tokensAfter);
        await hear(session.compact());
        expect(compactions(session.entries())).toHaveLength(1);
        expect(lab.model.requests).toHaveLength(calls);
        await session.close();
      },
    ));

  it("never twice without something new in between, however small the window is", () =>
    withChat(
      store,
      {
        script: scriptWith([readLog(""), { text: "Read." }, { text: "Yes." }], summary("Read the log.")),
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, 4_000) });
        await hear(session.send("Read the log."));
        await hear(session.send("Done?"));
        const kinds = session.entries().map(({ kind }) => kind);
        for (const [at, kind] of kinds.entries())
          if (kind === "compaction") {
            const since = kinds.slice(at + 1);
            const next = since.indexOf("compaction");
            if (next >= 0) expect(since.slice(0, next).some((one) => one === "tool" || one === "assistant")).toBe(true);
          }
        expect(lab.model.requests.length).toBeLessThan(8);
        await session.close();
      },
    ));
});

describe("what was compacted", () => {
  it("stays in the session and in the search", () =>
    withChat(
      store,
      {
        script: scriptWith(
          [readLog("Thorne's FASTA parser is slow."), { text: "Ok." }, readLog(""), { text: "Done." }],
          summary("Read."),
        ),
        files,
      },
      async (lab) => {
        const session = await lab.open({ parts: compactingParts(lab, WINDOW) });
        await hear(session.send("Read the log about quetzals."));
        await hear(session.send("Again."));
        expect(compactions(session.entries())).toHaveLength(1);
        expect(session.entries().some((one) => one.kind === "user" && one.text.includes("quetzals"))).toBe(true);
        const found = await invoke(lab.mind, operationNamed("sessions search"), { query: "quetzals" }, "");
        expect(JSON.stringify(found)).toContain(session.id);
        await session.close();
      },
    ));
});

describe("a request that the prompt cache does not know", () => {
  it("leaves a line in the session's JSONL file, which stays when the session is opened again", () =>
    withChat(store, { script: [{ text: "One." }, { text: "Two." }, { text: "Three." }] }, async (lab) => {
      const session = await lab.open({ model: CLAUDE });
      await hear(session.send("First"));
      await hear(session.send("Second"));
      await session.setModel("anthropic/claude-haiku-4-5");
      await hear(session.send("Third"));
      await session.close();
      const again = await lab.open({ session: session.id });
      await again.close();
      const lines = readFileSync(join(lab.home, "sessions", `${session.id}.jsonl`), "utf8")
        .trim()
        .split("\n");
      const breaks = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ kind }) => kind === "cache-break");
      expect(breaks).toEqual([
        expect.objectContaining({
          what: "model",
          place: `the model: ${CLAUDE}, then anthropic/claude-haiku-4-5`,
          byte: 17,
        }),
      ]);
    }));
});
