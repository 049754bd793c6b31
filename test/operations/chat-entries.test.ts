import { describe, expect, it } from "vitest";
import { findSessionHolder, takeSessionLease } from "../../src/converse/session/session-lease.ts";
import type { Approval } from "../../src/domain/approval/approval.ts";
import { invoke } from "../../src/invoke.ts";
import { HOUR } from "../../src/lib/clock.ts";
import { operationNamed } from "../../src/operations.ts";
import { insertApproval } from "../../src/store/chat/approvals.ts";
import { insertChatSession } from "../../src/store/chat/chat-sessions.ts";
import { hear, START, withChat } from "../converse/lab/chat-lab.ts";
import { stores } from "../stores.ts";

const usage = { in: 1_000, out: 30, cached: 800 };

describe.each(stores)("a session of our own on $name", (kind) => {
  it("is read in pages, with what it and its sub-agents used", async () => {
    await withChat(
      kind,
      {
        script: [
          { text: "One.", usage },
          { text: "Two.", usage },
        ],
      },
      async ({ open, mind }) => {
        const session = await open();
        await hear(session.send("first"));
        await hear(session.send("second"));
        const read = (more: object = {}) =>
          invoke(mind, operationNamed("sessions entries"), { id: session.id, ...more }, "");
        const whole = await read();
        expect(whole.session).toMatchObject({ id: session.id, title: "first", mode: "ask", parent: null });
        expect(whole.usage).toMatchObject({ calls: 2, tokensIn: 2_000, tokensOut: 60, tokensCached: 1_600 });
        expect(whole.usage.contextTokens).toBe(1_030);
        expect(whole.usage.cost).toBeGreaterThan(0);
        expect(whole.entries.map(({ seq }) => seq)).toEqual(whole.entries.map((_, at) => at + 1));
        expect(whole.entries.flatMap((one) => (one.kind === "assistant" ? [one.text] : []))).toEqual(["One.", "Two."]);
        const last = whole.session.entries;
        expect((await read({ limit: 2 })).entries.map(({ seq }) => seq)).toEqual([last - 1, last]);
        expect((await read({ before: 3 })).entries.map(({ seq }) => seq)).toEqual([1, 2]);
        expect((await read({ after: last - 1 })).entries.map(({ seq }) => seq)).toEqual([last]);
        await session.close();
      },
    );
  });

  it("says which process has it open", async () => {
    await withChat(kind, { script: [{ text: "Hi." }] }, async ({ open, mind }) => {
      const session = await open();
      const holder = await findSessionHolder(mind, session.id);
      expect(holder).toMatch(new RegExp(`^process ${process.pid} on \\S+, since `));
      await session.close();
      expect(await findSessionHolder(mind, session.id)).toBe(null);
    });
  });

  it("has the approvals of its sub-agents too, and counts what waits", async () => {
    await withChat(kind, { script: [] }, async ({ mind, cwd, clock }) => {
      const row = { at: START, usedAt: START, title: "", cwd, workspace: cwd, mode: "ask", model: null, entries: 0 };
      await insertChatSession(mind.db, { ...row, id: "chat_a", parent: null });
      await insertChatSession(mind.db, { ...row, id: "chat_b", parent: "chat_a" });
      // A process has it open: without one, its questions wait for nobody.
      const lease = await takeSessionLease(mind, "chat_a", "chat");
      const ask = (id: string, over: Partial<Approval>) =>
        insertApproval(mind.db, {
          ...{ id, at: START, until: START + HOUR, session: "chat_a", agent: "oldhand", workspace: cwd },
          ...{ action: "shell make", effect: "execute", summary: id, detail: "make", reason: "It runs a program." },
          ...{ status: "waiting", reach: null, answeredAt: null, answeredBy: null, usedAt: null },
          ...over,
        });
      await ask("ap_1", {});
      await ask("ap_2", { session: "chat_b", at: START + 1 });
      await ask("ap_3", { session: "chat_c", at: START + 2 });
      await ask("ap_4", { status: "rejected", at: START + 3 });
      await ask("ap_5", { until: START + 5, at: START + 4 });
      clock.advance(10);
      const list = async (input: object) =>
        (await invoke(mind, operationNamed("approvals list"), input, "")).approvals.map(({ id }) => id);
      expect(await list({ session: "chat_a" })).toEqual(["ap_1", "ap_2"]);
      expect(await list({ status: "waiting" })).toEqual(["ap_1", "ap_2", "ap_3"]);
      expect(await list({ status: "expired" })).toEqual(["ap_5"]);
      expect(await list({ all: true })).toEqual(["ap_5", "ap_4", "ap_3", "ap_2", "ap_1"]);
      expect((await invoke(mind, operationNamed("status"), {}, "")).approvals).toBe(3);
      const { waiting } = await invoke(mind, operationNamed("today"), {}, "");
      expect([waiting.approvals, waiting.first.map(({ kind: what, id }) => [what, id])]).toEqual([
        3,
        [
          ["approval", "ap_1"],
          ["approval", "ap_2"],
          ["approval", "ap_3"],
        ],
      ]);
      await lease.release();
      expect(await list({ status: "waiting" })).toEqual(["ap_3"]);
    });
  });
});
