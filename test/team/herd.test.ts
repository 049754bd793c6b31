import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import { runMiningSlice } from "../../src/distil/maintenance/mining-slice.ts";
import { openContext, type OpenMind } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { listRules } from "../../src/store/nouns/rules.ts";
import { stores, type TestDatabase } from "../stores.ts";
import { attemptedCall, cloneInto, failingSession, type MachineOptions, mistaken, newMachine } from "./two-machines.ts";

const shop = "git@example.com:acme/shop.git";
const bank = "git@example.com:acme/bank.git";

/** Homes of several machines on one PostgreSQL. */
describe.each(stores.filter((store) => store.name === "postgres"))(
  "a mistake that one machine repeats: $name",
  (store) => {
    const closing: (() => Promise<void>)[] = [];
    let database: TestDatabase | undefined;
    afterEach(async () => {
      for (const close of closing.splice(0)) await close();
      await database?.remove();
      database = undefined;
    });

    async function machine(options: Omit<MachineOptions, "database">): Promise<Working> {
      database ??= await store.migrated();
      const place = newMachine({ ...options, database: database.database });
      const mind = await openContext({ home: place.home });
      closing.push(async () => {
        await mind.close();
        place.remove();
      });
      return working(mind, place.workspace);
    }

    const failFourTimes = async (a: Working) => {
      await a.failTwice("a1");
      await a.failTwice("a2");
    };

    it("is spoken at the call on another, in another folder of the same repository", async () => {
      const a = await machine({ name: "a", folder: "shop", remote: shop });
      await a.start("a0");
      const b = await machine({ name: "b", folder: "code/shop-2", remote: "https://bob:secret@example.com/acme/shop" });
      await b.start("b1");
      expect(await b.attempt("b1")).toBe("");
      await failFourTimes(a);
      expect(await b.attempt("b1")).toMatch(/oldhand, rule r_\w+: /);
      const rules = await listRules(b.mind.db);
      expect(rules).toMatchObject([{ origin: "tool", scope: { kind: "workspace", workspace: a.workspace } }]);
      const stored = await b.mind.db.all("select * from workspaces");
      expect(JSON.stringify(stored)).not.toContain("secret");
    });

    it("is not spoken in another repository, nor in one without a remote, nor in another one under the same path", async () => {
      const a = await machine({ name: "a", folder: "shop", remote: shop });
      const other = await machine({ name: "b", folder: "bank", remote: bank });
      const loose = await machine({ name: "c", folder: "shop", remote: null });
      await failFourTimes(a);
      expect(await a.attempt("a3")).toMatch(/oldhand, rule r_\w+: /);
      for (const one of [other, loose]) {
        await one.start("s");
        expect(await one.attempt("s")).toBe("");
      }
      // Containers give different repositories the same path.
      const samePath = await machine({ name: "d", folder: "unused", remote: null });
      cloneInto(a.workspace, bank);
      const inContainer = working(samePath.mind, a.workspace);
      await inContainer.start("d1");
      expect(await inContainer.attempt("d1")).toBe("");
      // What the container learns does not speak on `a`.
      await inContainer.failTwice("d2", "deployctl pull --slow");
      await inContainer.failTwice("d3", "deployctl pull --slow");
      expect(await inContainer.attempt("d4", "deployctl pull --slow")).toMatch(/oldhand, rule r_\w+: /);
      cloneInto(a.workspace, shop);
      expect(await a.attempt("a4", "deployctl pull --slow")).toBe("");
    });

    it("is counted together, if the machines make it in clones of one repository", async () => {
      const a = await machine({ name: "a", folder: "shop", remote: shop });
      const b = await machine({ name: "b", folder: "shop-2", remote: shop });
      await a.failTwice("a1");
      await b.failTwice("b1");
      for (const one of [a, b]) expect(await one.attempt(`late in ${one.workspace}`)).toMatch(/oldhand, rule r_\w+: /);
      expect(await listRules(b.mind.db)).toMatchObject([{ scope: { kind: "workspace", workspace: a.workspace } }]);
    });

    it("is known to a session whose start was lost, from its first call on", async () => {
      const a = await machine({ name: "a", folder: "shop", remote: shop });
      const b = await machine({ name: "b", folder: "shop-2", remote: shop });
      await failFourTimes(a);
      expect(await b.attempt("b1")).toMatch(/oldhand, rule r_\w+: /);
    });

    it("is spoken at the first call in a work tree that an agent made in its session", async () => {
      const a = await machine({ name: "a", folder: "shop", remote: shop });
      await failFourTimes(a);
      await a.start("a9");
      const tree = join(a.workspace, "..", "shop-fix");
      const own = join(a.workspace, ".git", "worktrees", "shop-fix");
      mkdirSync(own, { recursive: true });
      mkdirSync(tree);
      writeFileSync(join(own, "commondir"), "../..\n");
      writeFileSync(join(tree, ".git"), `gitdir: ${own}\n`);
      expect(await a.send(attemptedCall(tree, "a9", mistaken.command))).toMatch(/oldhand, rule r_\w+: /);
    });
  },
);

interface Working {
  readonly mind: OpenMind;
  readonly workspace: string;
  /** The reply to one payload of Claude Code. */
  send(payload: Readonly<Record<string, unknown>>): Promise<string>;
  start(session: string): Promise<string>;
  attempt(session: string, command?: string): Promise<string>;
  /** One session with the mistake, and what is learned after its last turn. */
  failTwice(session: string, command?: string): Promise<void>;
}

function working(mind: OpenMind, workspace: string): Working {
  const host = findHost("claude-code");
  if (host === undefined) throw new Error("there is no host claude-code");
  const send: Working["send"] = async (payload) => (await attendPayload(mind, host, payload)).text;
  return {
    mind,
    workspace,
    send,
    start: (session) =>
      send({ hook_event_name: "SessionStart", session_id: session, cwd: workspace, source: "startup" }),
    attempt: (session, command = mistaken.command) => send(attemptedCall(workspace, session, command)),
    failTwice: async (session, command = mistaken.command) => {
      const error = `Exit code 2\nerror: unknown option '${command.split(" ").at(-1) ?? ""}'`;
      for (const payload of failingSession(workspace, session, { commands: [command, command], error }))
        await send(payload);
      await runMiningSlice(mind, { aborted: false });
    },
  };
}
