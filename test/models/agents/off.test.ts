import { describe, expect, it } from "vitest";
import { writeSettings } from "../../../src/config.ts";
import { stores } from "../../stores.ts";
import { withAgents } from "./lab.ts";

describe.each(stores)("a named agent while oldhand is off ($name)", (kind) => {
  it("does no task, stores nothing, and says how to switch oldhand on", () =>
    withAgents(kind, {}, async ({ mind, post, claude, complete }) => {
      writeSettings(mind.config.home, [["off", true]]);
      const body = { prompt: "Where do bills go?" };
      for (const accept of ["application/json", "text/event-stream"]) {
        const refused = await post("/agents/clerk/complete", body, { accept });
        expect(refused.status).toBe(409);
        expect(refused.body.error).toMatchObject({ message: "oldhand is off", hint: "oldhand on switches it on" });
      }
      expect(claude.requests).toEqual([]);
      for (const table of ["events", "kv", "model_calls"])
        expect(await mind.db.all(`select * from ${table}`)).toEqual([]);
      writeSettings(mind.config.home, [["off", undefined]]);
      expect(await complete("clerk", body)).toMatchObject({ response: "answer 1" });
    }));
});
