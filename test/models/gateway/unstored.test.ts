import { describe, expect, it } from "vitest";
import { OldhandError } from "../../../src/lib/errors.ts";
import { completeTask } from "../../../src/converse/agents/complete-task.ts";
import { openGateway } from "../../../src/models/gateway/open-gateway.ts";
import { gatewayParts } from "../../../src/models/gateway/gateway-of.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, listHeld, listRows, requestTo } from "./lab.ts";
import { LLAMA, withModelMind } from "./mind.ts";

/** The same store, which writes nothing while `isFull`. */
function fillable(db: Db): { readonly db: Db; isFull: boolean } {
  const state = { db: Object.create(db) as Db, isFull: false };
  const full = () => new OldhandError("store-full", "the disk is full: cannot write the mind; nothing was changed");
  const whenOpen = <T>(work: () => Promise<T>) => (state.isFull ? Promise.reject(full()) : work());
  Object.assign(state.db, {
    tx: <T>(work: (tx: Db) => Promise<T>) => whenOpen(() => db.tx(work)),
    run: (sql: string, values?: never) => whenOpen(() => db.run(sql, values)),
  });
  return state;
}

describe.each(stores)("a store that fails during a call, on $name", (kind) => {
  it("does not lose the answer: it comes with what it cost, and its row is written with the next call", () => {
    let fill = () => {};
    const claude = () => {
      fill();
      return { text: "paid" };
    };
    return withModelMind(kind, { claude }, async ({ mind }) => {
      const store = fillable(mind.db);
      fill = () => void (store.isFull = true);
      const gateway = openGateway(gatewayParts({ ...mind, db: store.db }));
      const answer = await gateway.complete(requestTo(CLAUDE));
      expect(answer).toMatchObject({
        outcome: "ok",
        text: "paid",
        unstored: "the disk is full: cannot write the mind",
      });
      expect(await listRows(mind.db)).toEqual([]);
      // The lease covers the money as long as the row is missing.
      expect(await listHeld(mind.db)).toHaveLength(1);
      store.isFull = false;
      fill = () => {};
      await gateway.complete(requestTo(CLAUDE, "again"));
      expect(await listRows(mind.db)).toMatchObject([{ outcome: "ok" }, { outcome: "ok" }]);
      expect(await listHeld(mind.db)).toEqual([]);
    });
  });

  it("is said with the answer of a named agent", () => {
    let fill = () => {};
    const claude = () => {
      fill();
      return { text: "paid" };
    };
    return withModelMind(kind, { claude }, async ({ mind }) => {
      const store = fillable(mind.db);
      fill = () => void (store.isFull = true);
      const ctx = { ...mind, db: store.db, prepareRecall: async () => {} };
      const request = { agent: "clerk", prompt: "hello", taskType: "triage", maxTokens: 100 };
      const answer = await completeTask(ctx, openGateway(gatewayParts(ctx)), request);
      expect(answer.response).toBe("paid");
      expect(answer.warnings).toEqual([
        expect.stringMatching(
          /^the answer could not be stored \(the disk is full: cannot write the mind\); it cost about \$0\.\d+$/,
        ),
      ]);
    });
  });

  it("is named together with the money if no model answered", () => {
    let fill = () => {};
    const claude = () => {
      fill();
      return { text: "half an answer", pieces: 4, fault: { kind: "reset", after: 4 } } as const;
    };
    return withModelMind(kind, { claude, use: [CLAUDE, LLAMA] }, async ({ mind }) => {
      const store = fillable(mind.db);
      fill = () => void (store.isFull = true);
      const ctx = { ...mind, db: store.db, prepareRecall: async () => {} };
      const request = { agent: "clerk", prompt: "hello", taskType: "triage", maxTokens: 100 };
      const error = await completeTask(ctx, openGateway(gatewayParts(ctx)), request).catch((one: unknown) => one);
      expect(String(error)).toMatch(/no model answered\. .* The call could not be stored .*; it cost about \$0\.\d+$/);
      expect(String(error)).not.toContain("nothing was changed");
    });
  });

  it("ends the call before anything is sent, if it fails before", () =>
    withModelMind(kind, {}, async ({ mind, claude }) => {
      const store = fillable(mind.db);
      store.isFull = true;
      const gateway = openGateway(gatewayParts({ ...mind, db: store.db }));
      await expect(gateway.complete(requestTo(CLAUDE))).rejects.toThrow("nothing was changed");
      expect(claude.requests).toHaveLength(0);
    }));
});
