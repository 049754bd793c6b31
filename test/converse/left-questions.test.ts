import { spawnSync } from "node:child_process";
import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { answerApproval } from "../../src/converse/approvals/decide-call.ts";
import { defaultParts } from "../../src/converse/session/default-parts.ts";
import { openChatSession } from "../../src/converse/session/open-chat-session.ts";
import { owner } from "../../src/domain/actor.ts";
import { invoke } from "../../src/invoke.ts";
import { operationNamed } from "../../src/operations.ts";
import { stores, type TestStore } from "../stores.ts";
import { type ChatLab, hear, withChat } from "./lab/chat-lab.ts";
import { labTools } from "./lab/lab-tools.ts";

const gone = () => `${hostname()}/${spawnSync("true").pid}/1`;

/** A session that asks whether a command may run. `die` makes its process look killed. */
function withQuestion(
  kind: TestStore,
  act: (lab: ChatLab, asked: { readonly session: string; readonly id: string; die(): Promise<void> }) => Promise<void>,
): Promise<void> {
  const script = [{ calls: [{ tool: "shell", input: { command: "echo made" } }] }, { text: "ok" }];
  return withChat(kind, { script }, async (lab) => {
    const { mind, cwd } = lab;
    // What this process does after its death is not stored.
    let isDead = false;
    const db = Object.create(mind.db, {
      tx: { value: (work: never) => (isDead ? new Promise(() => {}) : mind.db.tx(work)) },
      get: { value: (sql: string, values: never) => (isDead ? new Promise(() => {}) : mind.db.get(sql, values)) },
    }) as typeof mind.db;
    const dying = { ...mind, db };
    const session = await openChatSession(dying, {
      ...{ cwd, hasPerson: true, mode: "ask" },
      parts: { tools: async () => labTools, approvals: defaultParts(dying).approvals },
    });
    const events = session.send("go")[Symbol.asyncIterator]();
    for (;;) {
      const { value, done } = await events.next();
      if (done === true) throw new Error("no question");
      if (value.kind !== "approval") continue;
      const die = async () => {
        isDead = true;
        await mind.db.run("update leases set owner = ? where name = ?", [gone(), `chat ${session.id}`]);
      };
      return act(lab, { session: session.id, id: value.approval.id, die });
    }
  });
}

describe.each(stores)("a question whose process is gone ($name)", (kind) => {
  const list = operationNamed("approvals list");

  it("is shown as such, and no answer is taken for it", () =>
    withQuestion(kind, async ({ mind }, { session, id, die }) => {
      expect((await invoke(mind, list, {}, "")).approvals).toMatchObject([
        { id, status: "waiting", isLeftBehind: false },
      ]);
      await die();
      const shown = await invoke(mind, list, {}, "");
      expect(shown.approvals).toMatchObject([{ id, status: "expired", isLeftBehind: true }]);
      expect(list.render(shown, {})).toContain("was not run: the process that asked has ended");
      expect(list.render(shown, {})).toContain(`oldhand chat --resume ${session}`);
      expect(list.render(shown, {})).not.toContain("approvals approve");
      for (const name of ["approvals approve", "approvals reject"] as const)
        await expect(invoke(mind, operationNamed(name), { id }, "")).rejects.toMatchObject({
          code: "conflict",
          message: `nobody waits for an answer to ${id} any more: the process that asked has ended`,
          hint: expect.stringContaining(`oldhand chat --resume ${session}`),
        });
    }));

  it("leaves a session that is listed as died before somebody opens it", () =>
    withQuestion(kind, async ({ mind }, { session, die }) => {
      const listed = async () =>
        (await invoke(mind, operationNamed("sessions list"), {}, "")).sessions.find(({ id }) => id === session);
      expect(await listed()).toMatchObject({ ended: null });
      await die();
      expect(await listed()).toMatchObject({
        ended: { reason: "died", message: "The process ended in the middle of this turn." },
      });
    }));

  it.each([true, false])("is known not to have run, also if a yes came too late (%s)", (isApproved) =>
    withQuestion(kind, async ({ mind, open }, { session, id, die }) => {
      await die();
      if (isApproved) await answerApproval(mind, id, { yes: true, by: owner });
      const again = await open({ session });
      const texts = again.entries().flatMap((one) => (one.kind === "tool" ? [one.text] : []));
      expect(texts).toEqual(["Not run: the process ended while a question waited for an answer."]);
      await hear(again.send("go on"));
      await again.close();
    }),
  );
});
