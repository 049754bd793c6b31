import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { cleanEnv, exec, newPlace, type Place, program } from "../program.ts";
import { provenRule } from "./proven-rule.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

const at = (name: string) => join(place.home, name);
const read = (name: string) => readFileSync(at(name), "utf8");

interface Done {
  readonly name: string;
  readonly address: string | null;
  readonly files: readonly { name: string; made: boolean }[];
  readonly rules: readonly { id: string; text: string; made: boolean }[];
}
interface Shown {
  readonly identity: string;
  readonly cut: boolean;
  readonly files: readonly { name: string; text: string | null; did: string; protected: string[] }[];
  readonly attempts: readonly { actor: string; refusal: string }[];
}
interface Proposal {
  readonly id: string;
  readonly status: string;
  readonly diff: string;
  readonly rule: string | null;
  readonly refusal: string | null;
}
const rules = () =>
  place.json<{ text: string; level: string; origin: string; status: string; matcher: unknown }[]>(["rules", "list"]);
const changes = async () =>
  (
    await place.json<{ changes: { id: number; actor: string; noun: string; cause: { note: string | null } }[] }>([
      "history",
    ])
  ).changes;
const propose = (words: readonly string[], code = 0) =>
  place.json<Proposal>(["soul", "propose", "--reason", "seen often", ...words], { code });

describe("oldhand init", () => {
  it("asks, takes piped answers, asks again where they do not fit, and makes files and rules of the owner's", async () => {
    const stdin = "Ada\nBoss\n1-3\n\n99\n1-5,7\nAlways use pnpm.\n\n";
    const ran = await place.run(["init"], { stdin });
    expect([ran.code, ran.stdout]).toEqual([
      0,
      expect.stringContaining("Your agent is Ada, and addresses you as Boss."),
    ]);
    expect(ran.stderr).toContain("6 to 10 rules in all, not 3.");
    expect(ran.stderr).toContain("That does not name rules 1 to 10.");
    expect(read("SOUL.md")).toContain("Name: Ada\n");
    expect(read("USER.md")).toBe("Address the user as Boss.\n");
    expect(existsSync(at("SHIELD.md")) && existsSync(at("HARNESS.md"))).toBe(true);
    const made = await rules();
    expect(made).toHaveLength(7);
    expect(made.map((rule) => rule.text)).toContain("Always use pnpm.");
    for (const rule of made)
      expect(rule).toMatchObject({ level: "advise", origin: "owner", status: "approved", matcher: null });
    expect(await place.json(["doctor"])).toMatchObject({ problems: 0 });
  });

  it("changes nothing when it runs again, with the same answers or with none, and what was edited stays", async () => {
    const words = ["init", "--name", "Ada", "--address", "Boss", "--choose", "1-6"];
    expect((await place.json<Done>(words)).rules.every((rule) => rule.made)).toBe(true);
    appendFileSync(at("SOUL.md"), "- My own line\n");
    await place.json(["soul", "show"]);
    const before = await changes();
    for (const again of [words, ["init"], ["init", "--yes"]]) {
      const done = await place.json<Done>(again);
      expect(done).toMatchObject({ name: "Ada", address: "Boss" });
      expect([...done.files, ...done.rules].filter((one) => one.made)).toEqual([]);
    }
    expect((await place.run(["init"], { stdin: "" })).code).toBe(0);
    expect(await changes()).toEqual(before);
    expect(read("SOUL.md")).toMatch(/- My own line\n$/);
  });

  it("gives another name when asked to, and does not bring back a rule its owner retired", async () => {
    const { rules: made } = await place.json<Done>(["init", "--name", "Ada"]);
    await place.json(["rules", "retire", made[0]?.id ?? ""]);
    await place.json(["rules", "forget", made[1]?.id ?? ""]);
    const done = await place.json<Done>(["init", "--name", "Eve $& Adam", "--choose", "1-8"]);
    expect(done.name).toBe("Eve $& Adam");
    expect(done.rules.filter((rule) => rule.made)).toEqual([]);
    expect((await rules()).filter((rule) => rule.status === "approved")).toHaveLength(6);
  });

  it("refuses too few or too many rules, and makes nothing then", async () => {
    for (const words of [
      ["--choose", "1-5"],
      ["--choose", "1-10", "--rule", "One more."],
      ["--choose", "11"],
    ])
      expect((await place.run(["init", "--yes", ...words])).code).toBe(2);
    expect(existsSync(at("SOUL.md"))).toBe(false);
    expect(await rules()).toEqual([]);
  });

  it.skipIf(spawnSync("script", ["--version"]).status !== 0)(
    "talks in a terminal (needs the program `script`)",
    async () => {
      const env = { ...cleanEnv(place.user), OLDHAND_HOME: place.home };
      const shell = `"${process.execPath}" "${program}" init`;
      const ran = await exec("script", ["-qefc", shell, "/dev/null"], {
        env,
        stdin: "Ada\nBoss\n1-6\n\n",
        cwd: place.dir,
      });
      expect(ran.stdout).toContain("What is your agent called? [Old hand]");
      expect([ran.code, ran.stdout]).toEqual([
        0,
        expect.stringContaining("Your agent is Ada, and addresses you as Boss."),
      ]);
      expect(await rules()).toHaveLength(6);
    },
  );
});

describe("the identity", () => {
  beforeEach(async () => {
    await place.json(["init", "--name", "Ada", "--address", "Boss"]);
  });

  it("is given to sessions with SHIELD over SOUL over the user over the rest, the same each time, within its limit", async () => {
    const { identity, cut } = await place.json<Shown>(["soul"]);
    expect(identity.match(/^\[.*\]$/gm)).toEqual(["[SHIELD.md]", "[SOUL.md]", "[USER.md]", "[HARNESS.md]"]);
    expect([cut, (await place.json<Shown>(["soul", "show"])).identity]).toEqual([false, identity]);
    await place.json(["config", "set", "recall.identityCharacters", "700"]);
    const less = await place.json<Shown>(["soul", "show"]);
    expect([less.cut, less.identity.length <= 700, less.identity.includes("[SHIELD.md]")]).toEqual([true, true, true]);
  });

  it("takes what is edited in a file as the owner's word, and never writes over it", async () => {
    const mine = `\ufeff# Mine\r\n\r\nName: Eve\r\n\r\n- No spaces at the end  \r\n- Last line without an end`;
    writeFileSync(at("SOUL.md"), mine);
    const shown = await place.json<Shown>(["soul", "show"]);
    expect(shown.files.find((file) => file.name === "SOUL.md")).toMatchObject({ did: "read back" });
    expect(shown.identity).toContain("Name: Eve");
    expect((await changes())[0]).toMatchObject({
      actor: "owner",
      noun: "identity",
      cause: { kind: "person", note: "SOUL.md was edited" },
    });
    for (const words of [["soul", "drift"], ["soul", "log"], ["soul", "proposals"], ["init"], ["history"]])
      await place.json(words);
    expect(read("SOUL.md")).toBe(mine);
    await place.json(["soul", "edit", "--section", "Mine", "--add", "One more"]);
    expect(read("SOUL.md")).toBe(`${mine}\r\n- One more\r\n`);
  });

  it("follows an undo in its file, and comes back when the file is gone", async () => {
    const before = read("SOUL.md");
    const { change } = await place.json<{ change: { id: number } }>(["soul", "edit", "--text", "# Other"]);
    expect(read("SOUL.md")).toBe("# Other\n");
    rmSync(at("SOUL.md"));
    await place.json(["undo", String(change.id)]);
    expect(read("SOUL.md")).toBe(before);
  });

  it("keeps a secret that the owner wrote there out of the mind and in the file", async () => {
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    appendFileSync(at("HARNESS.md"), `- The token is ${secret}\n`);
    expect(JSON.stringify(await place.json(["soul", "show"]))).not.toContain(secret);
    await place.json(["soul", "edit", "HARNESS.md", "--section", "Harness", "--add", "One more"]);
    expect(read("HARNESS.md")).toContain(`- The token is ${secret}\n- One more\n`);
    expect(JSON.stringify(await place.json(["history"]))).not.toContain(secret);
  });

  it("that is no text is refused and not touched", async () => {
    const bytes = Buffer.from([0x41, 0xff, 0xfe, 0x42]);
    writeFileSync(at("SOUL.md"), bytes);
    const ran = await place.run(["soul", "show"]);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("not UTF-8")]);
    expect(readFileSync(at("SOUL.md")).equals(bytes)).toBe(true);
  });

  it("changes by a proposal that its owner accepts from its diff, also when the file was edited meanwhile", async () => {
    const made = await propose(["--section", "Manner", "--add", "Prefer Rust."]);
    expect(made).toMatchObject({ status: "open" });
    expect(made.diff).toMatch(/^--- SOUL\.md\n\+\+\+ SOUL\.md\n@@ .* @@\n(?: .*\n)*\+- Prefer Rust\.\n/);
    expect(read("SOUL.md")).not.toContain("Prefer Rust.");
    appendFileSync(at("SOUL.md"), "- Mine\n");
    await place.json(["soul", "accept", made.id]);
    expect(read("SOUL.md")).toMatch(/- Prefer Rust\.\n\n## What experience taught\n- Mine\n$/);
    const other = await propose(["--section", "Manner", "--add", "Prefer Go."]);
    await place.json(["soul", "reject", other.id, "--reason", "no"]);
    expect((await place.run(["soul", "accept", other.id])).code).toBe(1);
    expect((await place.json<{ proposals: Proposal[] }>(["soul", "proposals"])).proposals).toEqual([]);
    const log = await place.json<{ entries: { file: string; actor: string; reason: string }[] }>(["soul", "log"]);
    expect(log.entries.map((one) => `${one.actor} ${one.file}: ${one.reason}`)).toEqual([
      "owner SOUL.md: seen often",
      "owner SOUL.md: SOUL.md was edited",
      "owner USER.md: init",
      "owner HARNESS.md: made from its template",
      "owner SOUL.md: made from its template",
      "owner SHIELD.md: made from its template",
    ]);
  });

  it("refuses proposals for what is protected and from outside, and shows who tried", async () => {
    await propose(["--section", "Values", "--add", "Lie."], 1);
    await propose(["SHIELD.md", "--add", "Secrets are fine."], 1);
    await propose(["--section", "Manner", "--add", "Be loud.", "--origin", "external"], 1);
    const { attempts } = await place.json<Shown>(["soul", "show"]);
    expect(attempts.map((one) => `${one.actor}: ${one.refusal}`)).toEqual([
      'agent: the section "Values" of SOUL.md is protected',
      "agent: SHIELD.md is protected as a whole",
      "external: what comes from outside cannot change the identity",
    ]);
    expect((await changes()).slice(0, 3).map((one) => one.cause.note?.startsWith("refused: "))).toEqual([
      true,
      true,
      true,
    ]);
    const { stdout } = await place.run(["soul"]);
    expect(stdout).toMatch(/^refused .* agent .*SHIELD\.md is protected as a whole$/m);
    expect(await place.json(["doctor"])).toMatchObject({ problems: 0 });
  });

  it("lists a rule that was proven fundamental, to be accepted into SOUL.md", async () => {
    const store = await openStore({ database: at("mind.db"), busyMs: 5_000 });
    await provenRule(store.db, "r_good");
    await store.close();
    const { proposals } = await place.json<{ proposals: Proposal[] }>(["soul", "proposals"]);
    expect(proposals).toMatchObject([{ rule: "r_good", status: "open" }]);
    await place.json(["soul", "accept", proposals[0]?.id ?? ""]);
    expect(read("SOUL.md")).toMatch(/## What experience taught\n\n- Mind r_good\.\n$/);
    expect(await place.json(["soul", "proposals"])).toEqual({ proposals: [] });
  });

  it("leaves rules that their owner merged as they were, marked", async () => {
    const { rules: made } = await place.json<Done>(["init"]);
    const [kept, other] = [made[0]?.id ?? "", made[1]?.id ?? ""];
    expect(await place.json(["rules", "merge", kept, other])).toMatchObject({ rule: { id: kept }, merged: [other] });
    expect(await place.json(["rules", "show", other])).toMatchObject({ status: "merged", text: made[1]?.text });
  });

  it("tells how far it has drifted from its first version", async () => {
    const drift = () =>
      place.json<{ files: { file: string; words: number; lines: number; sections: object; course: object[] }[] }>([
        "soul",
        "drift",
      ]);
    expect((await drift()).files.map((one) => [one.file, one.words, one.lines])).toEqual([
      ["SHIELD.md", 0, 0],
      ["SOUL.md", 0, 0],
      ["HARNESS.md", 0, 0],
    ]);
    writeFileSync(at("SOUL.md"), read("SOUL.md").replace("## Manner", "## Style"));
    const [, soul] = (await drift()).files;
    expect(soul).toMatchObject({ sections: { added: ["Style"], removed: ["Manner"], changed: [] } });
    expect(soul?.course).toHaveLength(2);
    expect(await drift()).toEqual(await drift());
  });

  it("survives a backup", async () => {
    await propose(["--section", "Values", "--add", "Lie."], 1);
    const before = await place.json<Shown>(["soul", "show"]);
    await place.json(["backup", join(place.dir, "mind.gz")]);
    const other = newPlace();
    try {
      await other.json(["restore", join(place.dir, "mind.gz"), "--write"]);
      const after = await other.json<Shown>(["soul", "show"]);
      expect(after.attempts).toEqual(before.attempts);
      expect(after.files.map((file) => file.text)).toEqual(before.files.map((file) => file.text));
      expect(existsSync(join(other.home, "SOUL.md"))).toBe(true);
    } finally {
      other.remove();
    }
  });
});
