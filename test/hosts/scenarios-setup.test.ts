import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { describeHost } from "./lab/driven.ts";
import { calls, claude, lanternRule, publish, withLantern, WRONG } from "./lab/lantern.ts";
import type { Lab } from "./lab/lab.ts";
import { storedCall, storedEvents } from "./lab/stored-events.ts";
import { listRequests, count, read, startBlock, wire } from "./lab/wire.ts";

const KINDS = ["session-start", "prompt", "call", "stop", "session-end"];

describeHost(`oldhand in Claude Code ${claude.client.version}`, claude, ({ inLab }) => {
  const looks = [...calls(claude, "echo all is well"), { text: "Well." }];

  it("j: switched off while a session works: nothing of that time is stored or told later, and the session is not at work", () =>
    inLab(async (lab) => {
      withLantern(lab.project);
      writeFileSync(join(lab.project, "wait.sh"), "for i in $(seq 300); do test -e go && exit; sleep 0.1; done\n");
      const turns = [...calls(claude, "echo before", "sh wait.sh", "echo secret", WRONG), { text: "No." }];
      const session = lab.session({ prompt: "publish the beta", turns });
      await storedCall(lab, "echo before");
      expect(lab.oldhand("off")).toMatchObject({ status: 0 });
      writeFileSync(join(lab.project, "go"), "");
      expect(await session).toMatchObject({ status: 0, remaining: 0 });
      expect(wire(await session)).not.toMatch(/rule r_|before you stop/);
      expect(lab.oldhand("on")).toMatchObject({ status: 0 });
      const next = await lab.session({ prompt: "have a look", turns: looks });
      expect(wire(next)).not.toMatch(/echo secret|lantern|\bat work/i);
      const commands = (await storedEvents(lab)).flatMap(({ input }) => JSON.stringify(input ?? ""));
      expect(commands.filter((one) => /secret|lantern/.test(one))).toEqual([]);
      expect(commands.filter((one) => one.includes("all is well"))).toHaveLength(1);
    }));

  it("k: wired by the plugin, by the project and by hand: it is heard once at each moment, and doctor names the places", () =>
    inLab(async (lab) => {
      withLantern(lab.project);
      await publish(lab, claude, { times: 4, cwd: lab.project });
      const rule = lanternRule(lab);
      expect(lab.oldhand("install", "claude-code", "--project", lab.project)).toMatchObject({ status: 0 });
      const before = (await storedEvents(lab)).length;
      writeByHand(lab);
      const session = await lab.session({
        prompt: "publish",
        turns: [...calls(claude, WRONG), { text: "No." }, { text: "It failed." }],
      });
      expect(session).toMatchObject({ status: 0 });
      expect(count(wire(session), "From oldhand, which remembers")).toBe(1);
      expect(startBlock(read(listRequests(session)[0]))).toContain(rule.text);
      expect(count(wire(session), `oldhand, rule ${rule.id}`)).toBe(1);
      // Nobody is at the screen, so there is no reminder of the failure at the stop.
      expect(wire(session)).not.toContain("Stop hook feedback:");
      const kinds = (await storedEvents(lab)).slice(before).map((one) => one.kind);
      expect(kinds.toSorted()).toEqual(KINDS.toSorted());
      expect(lab.oldhand("doctor").out).toContain("its hooks are installed in 3 places: the plugin");
    }));

  it("l: installed before the client was there, and again when it was: the hooks give way to the plugin, and nothing is stored twice", () =>
    inLab(
      async (lab) => {
        const program = join(lab.folder, "bin", "claude");
        renameSync(program, `${program}.away`);
        expect(lab.oldhand("install", "claude-code")).toMatchObject({ status: 0 });
        expect(count(lab.read(".claude", "settings.json") ?? "", "hook claude-code")).toBeGreaterThan(5);
        await lab.session({ prompt: "have a look", turns: looks });
        renameSync(`${program}.away`, program);
        expect(lab.oldhand("install", "claude-code")).toMatchObject({ status: 0, err: "" });
        expect(count(lab.read(".claude", "settings.json") ?? "", "hook claude-code")).toBe(0);
        expect(lab.oldhand("install", "claude-code").out).toMatch(/^Everything is already in place\.\n/);
        await lab.session({ prompt: "have another look", turns: looks });
        const events = await storedEvents(lab);
        const byTime = events.toSorted((a, b) => a.at - b.at);
        expect(byTime.map((one) => one.kind)).toEqual([...KINDS, ...KINDS]);
        expect(lab.oldhand("doctor").out).not.toContain("places");
      },
      { install: null },
    ));

  it.each(["everywhere", "in one project"])(
    "m: installed %s, used and taken back: every file is as it was, to the byte",
    (where) =>
      inLab(
        async (lab) => {
          const written = '{\n\t"permissions": {"allow": ["Bash"]},   "model":"sonnet",\n "hooks": {}\n}';
          lab.write(written, ".claude", "settings.json");
          mkdirSync(join(lab.project, ".claude"));
          const local = join(lab.project, ".claude", "settings.local.json");
          writeFileSync(local, written);
          const words = where === "everywhere" ? [] : ["--project", lab.project];
          expect(lab.oldhand("install", "claude-code", ...words)).toMatchObject({ status: 0 });
          expect(lab.read(".claude", "settings.json") === written).toBe(where !== "everywhere");
          expect(readFileSync(local, "utf8") === written).toBe(where === "everywhere");
          expect(await lab.session({ prompt: "have a look", turns: looks })).toMatchObject({ status: 0 });
          expect((await storedEvents(lab)).length).toBe(KINDS.length);
          expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
          expect(lab.read(".claude", "settings.json")).toBe(written);
          expect(readFileSync(local, "utf8")).toBe(written);
          expect(lab.read(".claude", "plugins", "known_marketplaces.json") ?? "").not.toContain("oldhand");
          expect(existsSync(join(lab.home, ".oldhand", "mind.db"))).toBe(true);
          const after = await lab.session({ prompt: "have a look", turns: looks });
          expect(after).toMatchObject({ status: 0, remaining: 0 });
          expect((await storedEvents(lab)).length).toBe(KINDS.length);
        },
        { install: null },
      ),
  );
});

/**
 * Adds hooks for the same events to the user's settings, with another command: Claude Code runs equal commands only
 * once.
 */
function writeByHand(lab: Lab): void {
  const local = join(lab.project, ".claude", "settings.local.json");
  const { hooks } = JSON.parse(readFileSync(local, "utf8")) as { readonly hooks: object };
  const own = JSON.parse(lab.read(".claude", "settings.json") ?? "{}") as object;
  const hook = { type: "command", command: "oldhand hook claude-code" };
  const byHand = Object.fromEntries(Object.keys(hooks).map((event) => [event, [{ hooks: [hook] }]]));
  lab.write(JSON.stringify({ ...own, hooks: byHand }), ".claude", "settings.json");
}
