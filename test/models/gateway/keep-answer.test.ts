import { describe, expect, it } from "vitest";
import type { GatewayRequest } from "../../../src/models/gateway/gateway.ts";
import { stores } from "../../stores.ts";
import { CLAUDE, listHeld, listRows, requestTo, says, withGateway } from "./lab.ts";

describe.each(stores)("what a caller keeps of an answer, on $name", (kind) => {
  const keep: GatewayRequest["keepAnswer"] = async (tx, { call }) => {
    await tx.run("insert into meta (key, value) values (?, ?)", [`kept ${call}`, "1"]);
  };
  const failToKeep: GatewayRequest["keepAnswer"] = async (tx, answer) => {
    await keep(tx, answer);
    throw new Error("it cannot be kept");
  };
  const cacheable = { useResponseCache: true, cacheBy: "one" };

  it("is stored with a cached answer's row, or both are not", () =>
    withGateway(kind, { claude: [{ text: "one" }] }, async ({ gateway, db }) => {
      const kept = () => db.all("select key from meta where key like 'kept %'");
      await gateway.complete(requestTo(CLAUDE, "hi", { ...cacheable, keepAnswer: keep }));
      await gateway.complete(requestTo(CLAUDE, "hi", { ...cacheable, keepAnswer: keep }));
      expect([(await listRows(db)).length, (await kept()).length]).toEqual([2, 2]);
      await expect(gateway.complete(requestTo(CLAUDE, "hi", { ...cacheable, keepAnswer: failToKeep }))).rejects.toThrow(
        "it cannot be kept",
      );
      expect([(await listRows(db)).length, (await kept()).length]).toEqual([2, 2]);
    }));

  it("cannot undo the row of a call that was paid", () =>
    withGateway(kind, { claude: [{ text: "one" }] }, async ({ gateway, db }) => {
      await expect(gateway.complete(requestTo(CLAUDE, "hi", { keepAnswer: failToKeep }))).rejects.toThrow(
        "it cannot be kept",
      );
      expect(await listRows(db)).toMatchObject([{ outcome: "ok" }]);
      expect(await listHeld(db)).toEqual([]);
      expect(await db.all("select key from meta where key like 'kept %'")).toEqual([]);
    }));

  it("is nothing if no answer came", () =>
    withGateway(
      kind,
      { claude: [{ error: { status: 400, type: "invalid_request_error", message: "no" } }] },
      async ({ gateway, db }) => {
        await gateway.complete(requestTo(CLAUDE, "hi", { keepAnswer: keep }));
        expect(await db.all("select key from meta where key like 'kept %'")).toEqual([]);
      },
    ));

  it("goes with the chat that is made when the cache has no answer", () =>
    withGateway(kind, { claude: [{ text: "one" }] }, async ({ gateway, claude }) => {
      let made = 0;
      const makeChat = async () => says(`made ${++made}`);
      for (let n = 0; n < 2; n++) await gateway.complete(requestTo(CLAUDE, "hi", { ...cacheable, makeChat }));
      expect([made, claude.requests.length]).toEqual([1, 1]);
      expect(JSON.stringify(claude.requests[0]?.body)).toContain("made 1");
    }));
});
