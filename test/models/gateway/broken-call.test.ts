import { describe, expect, it } from "vitest";
import { OldhandError } from "../../../src/lib/errors.ts";
import type { ChatProvider } from "../../../src/models/chat/chat.ts";
import type { Gateway } from "../../../src/models/gateway/gateway.ts";
import { gatewayParts } from "../../../src/models/gateway/gateway-of.ts";
import { openGateway } from "../../../src/models/gateway/open-gateway.ts";
import type { Db } from "../../../src/store/engine/db.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, hearAll, listAttempts, listHeld, listRows, requestTo } from "./lab.ts";
import { type ModelMind, withModelMind } from "./mind.ts";

/** A gateway whose provider is another one, and whose store may be broken. */
function gatewayWith(
  { mind }: ModelMind,
  { change, db = mind.db }: { readonly change: (real: ChatProvider) => ChatProvider; readonly db?: Db },
): Gateway {
  const parts = gatewayParts({ ...mind, db });
  return openGateway({ ...parts, provider: async (name) => change(await parts.provider(name)) });
}

const breaking = (error: Error) => (real: ChatProvider) => ({
  ...real,
  chat: async function* () {
    yield { kind: "text", text: "half " } as const;
    throw error;
  },
});

const neverOpened = (): never => {
  throw new TypeError("a bug");
};

describe.each(stores)("a call that an error of ours ends, on $name", (kind) => {
  it("is stored as failed with what it cost, not as stopped by the caller, who gets the error", () =>
    withModelMind(kind, {}, async (of) => {
      const gateway = gatewayWith(of, { change: breaking(new TypeError("a bug")) });
      await expect(gateway.complete(requestTo(CLAUDE))).rejects.toThrow("a bug");
      expect(await listRows(of.mind.db)).toMatchObject([
        { outcome: "failed", route: expect.stringContaining("a bug") as string },
      ]);
      expect(Number((await listAttempts(of.mind.db))[0]?.["cost_nanos"])).toBeGreaterThan(0);
      expect(await listHeld(of.mind.db)).toEqual([]);
    }));

  it("names the error if the caller gets it with the answer", () =>
    withModelMind(kind, {}, async (of) => {
      const gateway = gatewayWith(of, { change: breaking(new OldhandError("store-locked", "the store is locked")) });
      const end = (await hearAll(gateway.stream(requestTo(CLAUDE)))).at(-1);
      expect(end).toMatchObject({
        kind: "end",
        answer: { outcome: "failed", failure: { message: "the store is locked" }, text: "half " },
      });
    }));

  it("holds no money, and is stored as failed, if nothing was sent", () =>
    withModelMind(kind, {}, async (of) => {
      await expect(gatewayWith(of, { change: neverOpened }).complete(requestTo(CLAUDE))).rejects.toThrow("a bug");
      expect(await listRows(of.mind.db)).toMatchObject([{ outcome: "failed", cost_nanos: 0 }]);
      expect(await listHeld(of.mind.db)).toEqual([]);
    }));

  it("throws that error also if the store then fails too", () =>
    withModelMind(kind, {}, async (of) => {
      let isFull = false;
      const db = Object.create(of.mind.db) as Db;
      const full = () => Promise.reject(new OldhandError("store-full", "the disk is full"));
      const { tx } = of.mind.db;
      db.tx = (work) => (isFull ? full() : tx.call(of.mind.db, work as never)) as never;
      const change = () => {
        isFull = true;
        return neverOpened();
      };
      await expect(gatewayWith(of, { change, db }).complete(requestTo(CLAUDE))).rejects.toThrow("a bug");
    }));
});
