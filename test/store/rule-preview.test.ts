import { describe, expect, it } from "vitest";
import { owner } from "../../src/domain/actor.ts";
import { previewRule } from "../../src/distil/report/preview-rule.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { findLastStandingChange, undoChange } from "../../src/store/journal/journal.ts";
import { ruleNoun } from "../../src/store/nouns/rules.ts";
import { listSessions } from "../../src/store/sessions/sessions.ts";
import { stores, withStore } from "../stores.ts";
import { anEvent, aRule, byOwner, put } from "./samples.ts";

const called = (uid: string, command: string, workspace = "/home/me/shop") =>
  anEvent(uid, { input: { command }, workspace, cwd: workspace, session: `s ${workspace}` });

describe.each(stores)("on $name", (kind) => {
  it("a rule by hand is shown the recorded calls that it matches, and those near it, within its scope", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        called("1", "rm -r 100%_done"),
        called("2", "cd app && rm -fr build"),
        called("3", "echo rm -rf"),
        called("4", "rm -rf x", "/home/me/blog"),
        anEvent("5", { kind: "prompt", tool: null, input: null, text: "rm -rf" }),
      ]);
      const matcher = { tool: "shell", runs: "rm -rf" };
      const all = await previewRule(db, { matcher, scope: { kind: "global" } });
      expect(all?.history).toMatchObject({ calls: 3, matched: 2, near: [{ command: "rm -r 100%_done", times: 1 }] });
      const here = await previewRule(db, { matcher, scope: { kind: "workspace", workspace: "/home/me/shop" } });
      expect(here?.history).toMatchObject({ calls: 2, matched: 1, last: [{ command: "cd app && rm -fr build" }] });
      expect(await previewRule(db, { matcher: null, scope: { kind: "global" } })).toBe(null);
    }));

  it("the sessions of a folder are those of the folders in it too, and of no neighbour", () =>
    withStore(kind, async ({ db }) => {
      const folders = ["/home/me/shop", "/home/me/shop/lib", "/home/me/shopping", "/home/me"];
      await appendEvents(
        db,
        folders.map((folder, at) => called(String(at), "ls", folder)),
      );
      await digest(db);
      const found = await listSessions(db, { workspace: "/home/me/shop", limit: 10 });
      expect(found.map((one) => one.workspace).toSorted()).toEqual(["/home/me/shop", "/home/me/shop/lib"]);
    }));

  it("the last change that stands is the newest of that person, undone ones and undos left out", () =>
    withStore(kind, async ({ db }) => {
      expect(await findLastStandingChange(db, owner)).toBe(null);
      const first = await put(db, ruleNoun, aRule("r_1"));
      const second = await put(db, ruleNoun, aRule("r_2"));
      await put(db, ruleNoun, aRule("r_3"), { actor: { kind: "distil" } });
      expect(await findLastStandingChange(db, owner)).toBe(second?.id);
      await undoChange(db, second?.id ?? 0, byOwner(2));
      expect(await findLastStandingChange(db, owner)).toBe(first?.id);
    }));
});
