import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { TurnEvent } from "../../src/converse/turn/turn-event.ts";
import { setCap } from "../models/money/lab.ts";
import { stores } from "../stores.ts";
import { CLAUDE, endOf, hear, saidIn, START, textsOf, withChat } from "./lab/chat-lab.ts";

const call = (tool: string, input: Record<string, unknown>) => ({ tool, input });
const shell = (command: string) => call("shell", { command });
const toolsIn = (events: readonly TurnEvent[]) => events.filter((event) => event.kind === "tool-end");

describe.each(stores)("the turn loop ($name)", (kind) => {
  it("gives a call that cannot be made back to the model, with the reason", () =>
    withChat(
      kind,
      {
        script: [
          { calls: [call("read", { file: "a" }), call("delete_all", {}), call("shell", { command: "" })] },
          { text: "Sorry." },
        ],
      },
      async ({ open, sent, model }) => {
        const session = await open();
        const events = await hear(session.send("go"));
        expect(endOf(events).reason).toBe("done");
        expect(model.requests).toHaveLength(2);
        const [bad, unknown, empty] = textsOf(sent(1)).slice(-3);
        expect(bad).toMatch(/The input does not fit read: path: .*Nothing was done\./);
        expect(unknown).toMatch(/There is no tool "delete_all"\. Your tools: read, remember, shell/);
        expect(empty).toContain("The input does not fit shell: command:");
        await session.close();
      },
    ));

  it("runs reads together and other calls in order", () => {
    let started = 0;
    let meet: () => void = () => {};
    const both = new Promise<void>((resolve) => (meet = resolve));
    return withChat(
      kind,
      {
        script: [
          { calls: [..."ab"].map((path) => call("read", { path })) },
          { calls: [shell("echo 1 >> log; sleep 0.05"), shell("echo 2 >> log"), shell("cat log")] },
          { text: "ok" },
        ],
        parts: {
          tools: async () => {
            const { labTools } = await import("./lab/lab-tools.ts");
            return labTools.map((tool) => ({
              ...tool,
              run: async (ctx, input) => {
                if (tool.name !== "read") return tool.run(ctx, input);
                if (++started === 2) meet();
                // One after the other, they would wait for each other until the test ends.
                await both;
                return { ok: true, text: "read" };
              },
            }));
          },
        },
      },
      async ({ open, sent }) => {
        const session = await open();
        await hear(session.send("go"));
        expect(textsOf(sent(2)).at(-1)).toBe("1\n2");
        await session.close();
      },
    );
  });

  it("stores a message that is typed during a tool run, shows it to the model with the next call, and acknowledges it only then", () =>
    withChat(
      kind,
      { script: [{ calls: [shell("echo go; sleep 0.3")] }, { text: "In red, then." }] },
      async ({ open, sent, model, mind }) => {
        const session = await open();
        const events: TurnEvent[] = [];
        let id = "";
        for await (const event of session.send("paint it blue")) {
          if (event.kind === "tool-output" && id === "") ({ id } = await session.steer("no, red"));
          if (event.kind === "steered") expect(model.requests).toHaveLength(1);
          events.push(event);
        }
        const kinds = events.map((event) => event.kind);
        expect(kinds.indexOf("steered")).toBeGreaterThan(kinds.indexOf("tool-end"));
        expect(events).toContainEqual({ kind: "steered", id, text: "no, red", at: START });
        expect(textsOf(sent(0)).join()).not.toContain("no, red");
        expect(sent(1).messages.at(-1)?.role).toBe("user");
        expect(textsOf(sent(1)).at(-1)).toContain("no, red");
        const rows = await mind.db.all<{ taken: number | null }>("select taken from chat_inbox");
        expect(rows.map(({ taken }) => taken !== null)).toEqual([true]);
        await session.close();
      },
    ));

  it("makes a message that nobody was there to take the next normal one, exactly once", () =>
    withChat(
      kind,
      { script: [{ text: "one" }, { text: "two" }, { text: "three" }] },
      async ({ open, sent, reopen }) => {
        const first = await open();
        await hear(first.send("a"));
        await first.steer("b");
        await first.queue("c");
        await first.close();
        await reopen();
        const session = await open({ session: first.id });
        for (let next = await session.nextQueued(); next !== null; next = await session.nextQueued())
          await hear(session.send(next.text));
        const texts = textsOf(sent(2));
        expect(["a", "b", "c"].map((text) => texts.filter((one) => one.trim() === text).length)).toEqual([1, 1, 1]);
        await session.close();
      },
    ));

  it("stops between two calls: what ran stays, what was not started is closed, and the session goes on", () =>
    withChat(
      kind,
      { script: [{ calls: [shell("echo one; exec sleep 5"), shell("touch two")] }, { text: "Fine." }] },
      async ({ open, sent, cwd }) => {
        const session = await open();
        const events: TurnEvent[] = [];
        for await (const event of session.send("go")) {
          if (event.kind === "tool-output") void session.stop();
          events.push(event);
        }
        expect(endOf(events).reason).toBe("stopped");
        // The person is spoken to; the model is told the same about the person.
        expect(toolsIn(events).map(({ text }) => text)).toEqual(["one", "Not started: you stopped the turn."]);
        expect(session.entries().flatMap((one) => (one.kind === "tool" ? [one.text] : []))).toEqual([
          "one",
          "Not started: the person stopped the turn.",
        ]);
        await hear(session.send("are you there?"));
        expect(sent(1).messages.map(({ role }) => role)).toEqual(["user", "assistant", "user"]);
        expect(() => readFileSync(join(cwd, "two"))).toThrow();
        await session.close();
      },
    ));

  it("stops in the middle of an answer and keeps what the person has read", () =>
    withChat(
      kind,
      { script: [{ text: "a long story ".repeat(50), pieces: 50, pauseMs: 20 }, { text: "ok" }] },
      async ({ open, sent }) => {
        const session = await open();
        const events: TurnEvent[] = [];
        for await (const event of session.send("tell")) {
          if (event.kind === "text") void session.stop();
          events.push(event);
        }
        expect(endOf(events).reason).toBe("stopped");
        await hear(session.send("go on"));
        const told = textsOf(sent(1))[1] ?? "";
        expect(told).toContain("a long story");
        expect(told.length).toBeLessThan(600);
        expect(textsOf(sent(1)).join("\n")).toContain("[oldhand] The person stopped you in the middle of this answer.");
        await session.close();
      },
    ));

  it.each([
    [8_192, "after 8,192 tokens (chat.answerTokens)"],
    [8_000, "after 8,192 tokens (chat.answerTokens)"],
    [20, "after 20 tokens (the limit of the model or of its server; chat.answerTokens would allow 8,192)"],
  ])("tells the person and the model what cut an answer off: %d tokens", (out, what) =>
    withChat(
      kind,
      {
        script: [{ text: "half a", stop: "length", usage: { out } }, { text: "story" }],
        settings: { chat: { answerTokens: 8_192 } },
      },
      async ({ open, sent }) => {
        const session = await open();
        const events = await hear(session.send("tell"));
        expect(events).toContainEqual({
          kind: "notice",
          text: `The answer was cut off ${what}; the model is told so with your next message.`,
        });
        await hear(session.send("go on"));
        expect(textsOf(sent(1)).join("\n")).toContain(
          `[oldhand] Your answer was cut off ${what.slice(0, what.indexOf(" ("))}.`,
        );
        await session.close();
      },
    ),
  );

  it("says that a model answered nothing, and what to do; after tool calls the turn is done all the same", () =>
    withChat(
      kind,
      { script: [{ text: "" }, { text: " " }, { calls: [shell("echo hi")] }, { text: "" }, { text: "yes" }] },
      async ({ open, sent }) => {
        const session = await open();
        const message = `${CLAUDE} answered nothing. What to do: ask again, or let another model answer: --model PROVIDER/MODEL.`;
        for (const text of ["one", "two"])
          expect(endOf(await hear(session.send(text)))).toEqual({ reason: "failed", message });
        const worked = await hear(session.send("three"));
        const after = message.replace("nothing.", "nothing after its last tool call.");
        expect(endOf(worked)).toEqual({ reason: "done", message: after });
        expect(worked).toContainEqual({ kind: "notice", text: after });
        await hear(session.send("four"));
        expect(textsOf(sent(4))).toContain("four");
        await session.close();
      },
    ));

  it("sends a small model no result that would fill its window", () => {
    const parts = { windowOf: async () => 8_000 };
    const script = [{ calls: [shell("seq 1 9000")] }, { text: "ok" }];
    return withChat(kind, { script, parts }, async ({ open, sent }) => {
      const session = await open();
      expect(endOf(await hear(session.send("count"))).reason).toBe("done");
      const result = textsOf(sent(1)).find((text) => text.startsWith("1\n2\n"));
      expect(result).toContain("characters cut");
      expect(result?.length).toBeGreaterThan(2_000);
      expect(result?.length).toBeLessThan(20_000);
      await session.close();
    });
  });

  it("measures a long message by the largest window of the models that may answer", async () => {
    const folder = mkdtempSync(join(tmpdir(), "oldhand-prices-"));
    const HAIKU = "anthropic/claude-haiku-4-5";
    const price = (context: number) => ({ in: 1, out: 1, context, output: 1_000 });
    writeFileSync(join(folder, "p.json"), JSON.stringify({ [CLAUDE]: price(16_000), [HAIKU]: price(32_000) }));
    const models = { use: [CLAUDE, HAIKU], exploreShare: 0, retryMs: 1, prices: join(folder, "p.json") };
    const script = [{ text: "short" }, { text: "long" }];
    await withChat(
      kind,
      { script, settings: { models, chat: { answerTokens: 1_000 } } },
      async ({ open, sent, model }) => {
        const session = await open();
        const { reason, message } = endOf(await hear(session.send("12345 ".repeat(40_000))));
        expect([reason, message]).toEqual(["handoff", expect.stringContaining("would answer holds 32,000 for all")]);
        expect(model.requests).toHaveLength(0);
        await session.close();
        const other = await open();
        expect(endOf(await hear(other.send("hello"))).reason).toBe("done");
        // More than the window of the session's model, and not more than that of another one.
        expect(endOf(await hear(other.send("a plain word of it ".repeat(4_200))))).toEqual({
          reason: "done",
          message: null,
        });
        expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("claude-haiku-4-5");
        expect(textsOf(sent(-1)).length).toBeGreaterThan(0);
        await other.close();
      },
    );
    rmSync(folder, { recursive: true });
  });

  it("warns about the second identical failing call, refuses the fifth, and ends a loop with one last answer", () =>
    withChat(
      kind,
      { script: (_request, at) => (at < 20 ? { calls: [shell("exit 3")] } : { text: "?" }) },
      async ({ open, sent, model }) => {
        const session = await open();
        const events = await hear(session.send("go"));
        const results = (at: number) => textsOf(sent(at)).at(-1) ?? "";
        expect(results(1)).not.toContain("Warning");
        expect(results(2)).toContain("Warning: this exact call failed 2 times");
        expect(results(5)).toContain("Refused: this exact call failed");
        expect(endOf(events).reason).toBe("budget");
        expect(sent(-1).toolChoice).toEqual({ type: "none" });
        expect(model.requests.length).toBeLessThan(12);
        await session.close();
      },
    ));

  it("counts again in the next turn, and shows an unchanged read only once a turn", () =>
    withChat(
      kind,
      {
        script: (_request, at) =>
          at % 4 === 3 ? { text: "ok" } : { calls: [at % 4 === 2 ? shell("exit 3") : call("read", { path: "a" })] },
        files: { a: "line\n".repeat(200) },
      },
      async ({ open, sent }) => {
        const session = await open();
        await hear(session.send("one"));
        await hear(session.send("two"));
        const last = (at: number) => textsOf(sent(at)).at(-1) ?? "";
        expect([last(1), last(2), last(5), last(6)].map((text) => text.slice(0, 9))).toEqual([
          ...["line\nline", "Unchanged", "line\nline", "Unchanged"],
        ]);
        expect(last(7)).not.toContain("Warning");
        await session.close();
      },
    ));

  it("stops hard when the budget is used up, with one answer without tools", () =>
    withChat(
      kind,
      {
        script: (_request, at) => ({ text: `step ${at}`, calls: [shell(`echo ${at}`)] }),
        settings: { chat: { iterations: 6 } },
      },
      async ({ open, sent, model }) => {
        const session = await open();
        const events = await hear(session.send("go"));
        // Three model calls and three tool calls, then the last answer.
        expect(model.requests).toHaveLength(4);
        expect(toolsIn(events)).toHaveLength(3);
        expect(endOf(events)).toMatchObject({ reason: "budget", message: expect.stringContaining("6 steps") });
        expect(sent(3).toolChoice).toEqual({ type: "none" });
        expect(textsOf(sent(3)).at(-1)).toContain("no more tools");
        expect(saidIn(events)).toContain("step 3");
        await session.close();
      },
    ));

  it("does not count cheap tools", () =>
    withChat(
      kind,
      {
        script: (_request, at) => (at < 4 ? { calls: [call("read", { path: `f${at}` })] } : { text: "done" }),
        settings: { chat: { iterations: 5 } },
      },
      async ({ open, model }) => {
        const session = await open();
        expect(endOf(await hear(session.send("go"))).reason).toBe("done");
        expect(model.requests).toHaveLength(5);
        await session.close();
      },
    ));

  it("runs a sub-agent in a session of its own, under the same budget; its costs are the session's", () =>
    withChat(
      kind,
      {
        script: (request) => {
          const text = JSON.stringify(request.body);
          if (text.includes("You are a sub-agent")) return { calls: [shell("echo deep")] };
          return { calls: [call("sub_agent", { task: "count the files" })] };
        },
        settings: { chat: { iterations: 12, subAgentIterations: 4 } },
      },
      async ({ open, mind, sent, model }) => {
        const session = await open();
        const events = await hear(session.send("go"));
        expect(endOf(events).reason).toBe("budget");
        const children = await mind.db.all<{ id: string; parent: string }>(
          "select id, parent from chat_sessions where parent is not null",
        );
        expect(children.length).toBeGreaterThan(1);
        expect(new Set(children.map(({ parent }) => parent))).toEqual(new Set([session.id]));
        const steps = await mind.db.get<{ n: number }>(
          "select count(*) as n from chat_entries where kind in ('assistant', 'tool')",
        );
        // Twelve steps for all together, and one last answer for the main agent and for each sub-agent.
        expect(Number(steps?.n)).toBeLessThanOrEqual(12 + 1 + 2 * children.length);
        expect(session.usage().calls).toBe(model.requests.length);
        expect(textsOf(sent(-1)).join()).toContain("The sub-agent ended early: budget");
        await session.close();
      },
    ));

  it("gives back only the last message of a sub-agent", () =>
    withChat(
      kind,
      {
        script: [
          { calls: [call("sub_agent", { task: "remember: look at a" })] },
          { text: "looking", calls: [call("sub_agent", { task: "deeper" })] },
          { text: "There are 3 files." },
          { text: "Three." },
        ],
      },
      async ({ open, sent, mind }) => {
        const session = await open();
        const events = await hear(session.send("how many files?"));
        expect(saidIn(events)).toBe("Three.");
        expect(textsOf(sent(3)).at(-1)).toBe("There are 3 files.");
        expect(textsOf(sent(2)).at(-1)).toContain("A sub-agent cannot start sub-agents");
        expect(textsOf(sent(1))).toEqual(["remember: look at a"]);
        // An agent wrote the task: it is not the owner's wish to remember something.
        const memories = await mind.db.all("select id from memories");
        expect(memories).toEqual([]);
        const tasks = await mind.db.all<{ task_type: string }>("select task_type from model_calls order by id");
        expect(tasks.map((one) => one.task_type)).toEqual(["chat", "subagent", "subagent", "chat"]);
        await session.close();
      },
    ));

  it("ends a turn that meets a cap, with the command that extends it", () =>
    withChat(kind, { script: [{ text: "hi" }] }, async ({ open, mind, model }) => {
      await setCap(mind.db, "day", 0.000001);
      const session = await open();
      const events = await hear(session.send("go"));
      expect(endOf(events)).toMatchObject({
        reason: "capped",
        message: expect.stringContaining("oldhand models caps extend day"),
      });
      expect(model.requests).toHaveLength(0);
      await session.close();
    }));

  it("ends a turn without a model's answer, and the next one works", () =>
    withChat(
      kind,
      {
        script: [{ error: { status: 400, type: "invalid_request_error", message: "nonsense" } }, { text: "hi" }],
      },
      async ({ open, sent }) => {
        const session = await open();
        expect(endOf(await hear(session.send("one")))).toMatchObject({ reason: "failed" });
        expect(endOf(await hear(session.send("two"))).reason).toBe("done");
        expect(textsOf(sent(1))).toEqual(["one", "\n\ntwo"]);
        await session.close();
      },
    ));

  it("marks what comes from outside as data of that origin", () =>
    withChat(
      kind,
      { script: [{ calls: [call("web_fetch", { url: "http://x" })] }, { text: "ok" }] },
      async ({ open, sent }) => {
        const session = await open();
        await hear(session.send("fetch"));
        expect(textsOf(sent(1)).at(-1)).toMatch(/^<<<oldhand [\s\S]*result of web_fetch, from external:\n\| page of/);
        await session.close();
      },
    ));

  it("keeps no secret in the store, the log or a request, while the tools get the true text", () => {
    const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    return withChat(
      kind,
      {
        script: (request, at) => {
          const [name] = /oldhand-secret-\w+/.exec(JSON.stringify(request.body)) ?? [];
          return at === 0 ? { calls: [shell(`echo got ${name} | cut -c1-12`)] } : { text: "ok" };
        },
      },
      async ({ open, mind, home, sent }) => {
        const session = await open();
        const events = await hear(session.send(`use ${secret}`));
        expect(events).toContainEqual({
          kind: "notice",
          text: expect.stringMatching(
            /^Your message has what looks like a secret\. It is stored as \[redacted:[\w-]+\], and anthropic gets a placeholder; tools get the true value/,
          ) as string,
        });
        expect(toolsIn(events)[0]?.text).toBe("got ghp_16C7");
        const rows = await mind.db.all<{ data: string }>("select data from chat_entries");
        expect(JSON.stringify(rows)).not.toContain(secret);
        expect(readFileSync(join(home, "sessions", `${session.id}.jsonl`), "utf8")).not.toContain(secret);
        expect(JSON.stringify([sent(0), sent(1)])).not.toContain(secret);
        await session.close();
      },
    );
  });

  it("says that a provider which may get secrets gets this one, and does not speak of a placeholder", () => {
    const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a";
    const settings = { models: { use: [CLAUDE], exploreShare: 0, retryMs: 1, secretsTo: "anthropic" } };
    return withChat(kind, { script: [{ text: "ok" }], settings }, async ({ open, sent }) => {
      const session = await open();
      const notices = (await hear(session.send(`use ${secret}`))).filter(({ kind: one }) => one === "notice");
      expect(JSON.stringify(sent(0))).toContain(secret);
      expect(notices).toEqual([
        {
          kind: "notice",
          text: expect.stringMatching(
            /^Your message has what looks like a secret\. It is stored as \[redacted:[\w-]+\], and anthropic gets it as it is, because models\.secretsTo allows that/,
          ) as string,
        },
      ]);
      await session.close();
    });
  });

  it("takes back a turn: the model no longer sees it", () =>
    withChat(kind, { script: [{ text: "1" }, { text: "2" }, { text: "3" }] }, async ({ open, sent }) => {
      const session = await open();
      await hear(session.send("one"));
      await hear(session.send("two"));
      expect(await session.undo()).toMatchObject({ kind: "undone", turn: 2, text: "two" });
      await hear(session.send("three"));
      expect(textsOf(sent(2))).toEqual(["one", "1", "three"]);
      expect(sent(2).system).toBe(sent(0).system);
      await session.close();
    }));

  it("makes no call while nobody writes", () =>
    withChat(kind, { script: [] }, async ({ open, model, clock, mind }) => {
      const session = await open();
      clock.advance(24 * 3_600_000);
      await session.close();
      expect(model.requests).toHaveLength(0);
      expect(await mind.db.all("select id from chat_sessions")).toEqual([]);
    }));
});
