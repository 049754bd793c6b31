import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCli } from "../../src/entrypoints/cli/main.ts";
import { newPlace, type Place, sample } from "../program.ts";

let place: Place;
let ids: readonly string[];
beforeAll(async () => {
  place = newPlace();
  await place.json(["import", sample]);
  ids = (await place.json<{ id: string }[]>(["rules"])).map((rule) => rule.id);
});
afterAll(() => place.remove());

async function type(...words: readonly string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: "", err: "" };
  const code = await runCli([...words, "--home", place.home], {
    out: (text) => void (said.out += text),
    err: (text) => void (said.err += text),
  });
  return { code, ...said };
}

describe("a command that was mistyped, or has another name elsewhere", () => {
  it.each([
    [["repport"], "oldhand report"],
    [["distill"], "oldhand distil"],
    [["rule"], "oldhand rules"],
    [["aprove", "r_1"], "oldhand approve"],
    [["stop"], "oldhand off"],
    [["enable"], "oldhand on"],
    [["unmute", "r_1"], "oldhand rules approve ID"],
    [["memory"], "oldhand memories"],
    [["log"], "oldhand history"],
    [["dashboard"], "oldhand serve"],
    [["rules", "aprove", "r_1"], "oldhand rules approve"],
    [["rules", "delete", "r_1"], "oldhand rules retire ID, or oldhand rules forget ID to remove it for good"],
    [["rules", "off", "r_1"], "oldhand mute ID"],
    [["memories", "add", "x"], "oldhand remember TEXT"],
    [["--versoin"], "--version"],
    [["learn", "x", "--comand", "git push"], "--command"],
    [["rules", "--staus", "candidate"], "--status"],
    [["doctor", "--fixit"], "--fix"],
    [["learn", "x", "--level", "block"], "deny"],
    [["learn", "x", "--level", "denny"], "deny"],
    [["rules", "--status", "pending"], "candidate"],
    [["distil", "--only", "failure"], "failures"],
    [["import", "--from", "claude"], "claude-code"],
    [["install", "claude"], "claude-code"],
    [["install", "cursur"], "cursor"],
    [["config", "get", "minCount"], "distil.minCount"],
    [["config", "set", "distil.mincount", "4"], "distil.minCount"],
  ])("%j: says what was probably meant", async (words, meant) => {
    const { code, out, err } = await type(...words);
    expect(code).toBeGreaterThan(0);
    expect(out).toBe("");
    expect(err).toContain(`  did you mean ${meant}? `);
  });

  it("tells which values there are, and what is no number", async () => {
    expect((await type("learn", "x", "--level", "block")).err).toContain(
      'oldhand: --level cannot be "block"; use watch, advise, nudge, ask or deny [usage]',
    );
    expect((await type("undo", "last")).err).toContain('oldhand: ID must be a number, not "last" [usage]');
  });

  it("asks which of its commands is meant where a family has none of its own", async () => {
    const { code, err } = await type("suggest");
    expect(code).toBe(2);
    expect(err).toContain("oldhand: oldhand suggest needs a second word [usage]");
    expect(err).toContain("oldhand suggest skills");
    expect(err).toContain("oldhand suggest hooks");
    expect(err).not.toContain('""');
  });

  it("says how a flag becomes part of a text, where a text is taken", async () => {
    expect((await type("search", "log", "--onelin")).err).toContain("quote the text or put -- before it");
    expect((await type("search", "log --onelin")).code).toBe(1);
    expect((await type("rules", "--onelin")).err).not.toContain("quotes");
  });

  it("guesses nothing where nothing is near", async () => {
    expect((await type("xyzzy")).err).not.toContain("did you mean");
    expect((await type("learn", "x", "--xyzzy")).err).not.toContain("did you mean");
  });
});

describe("a short way to say it", () => {
  it("approves, mutes and rejects a rule by the beginning of its id", async () => {
    const [, id = ""] = ids;
    const start = id.slice(0, 5);
    expect((await type("approve", start)).out).toMatch(new RegExp(`^${id}  approved `));
    expect((await type("mute", start)).out).toMatch(new RegExp(`^${id}  muted     (?:advise|nudge) `));
    expect((await type("rules", "mute", start)).out).toContain("Nothing to change");
    expect((await type("reject", start)).out).toMatch(new RegExp(`^${id}  rejected `));
  });

  it("shows the one thing that is named: a rule, a session, a setting", async () => {
    const [id = ""] = ids;
    expect((await type("rules", id.slice(0, 5))).out).toContain(id);
    expect((await type("sessions", "sample-06")).out).toContain("codex sample-06 in ");
    expect((await type("config", "distil.minCount")).out).toContain("distil.minCount ");
  });

  it("lists the rules that begin so, where there are several", async () => {
    for (const words of [
      ["rules", "show"],
      ["rules", "why"],
      ["approve"],
      ["override"],
      ["rules", "forget"],
      ["why"],
    ]) {
      const { code, err } = await type(...words, "r_");
      expect(code).toBe(2);
      expect(err).toBe(`oldhand: r_ is ambiguous: ${ids.toSorted().join(", ")} [usage]\n  type more of the id\n`);
    }
  });
});

describe("remember", () => {
  it("says that a memory holds everywhere, and how it would hold only here", async () => {
    const said = "It is valid in all workspaces; add --workspace . for this folder only.";
    expect((await type("remember", "The well is behind the barn")).out).toContain(said);
    expect((await type("remember", "The mill has two wheels", "--workspace", ".")).out).not.toContain(said);
  });
});

describe("why", () => {
  it("tells the time of a mistake as a time", async () => {
    const made = await place.json<{ entry: { id: string } }>(["mistake", "The tap was left open"]);
    expect((await type("why", made.entry.id)).out).toMatch(/\n {2}at: \d{4}-\d\d-\d\dT/);
  });

  it("tells a person what each change did, and a program all of it", async () => {
    const id = ids.at(-1) ?? "";
    await type("approve", id);
    const { out } = await type("why", id.slice(0, 5));
    expect(out).toMatch(/^\s+\d+ {2}\S+ {2}import {2}rule r_\w+: made/);
    expect(out).toContain("\n  status: candidate\n");
    expect(out).toContain("\n  evidence: 5 observations in 5 sessions\n");
    expect(out).toContain("\n  status: candidate → approved\n");
    expect(out).not.toContain('{"id"');
    const { changes } = JSON.parse((await type("why", id, "--json")).out) as { changes: { after: { id: string } }[] };
    expect(changes.map((one) => one.after.id)).toEqual([id, id]);
  });
});
