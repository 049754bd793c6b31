import { mkdirSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  secret,
  writeClaudeMem,
  writeHermes,
  writeHermesSessions,
  writeLearnedBehavior,
  writeLivingBoard,
} from "../other-stores.ts";
import { newPlace, type Place, describeRun } from "../program.ts";

interface Imported {
  readonly events: number;
  readonly rules: number;
  readonly memories: number;
  readonly leftOut: readonly { readonly what: string; readonly count: number; readonly why: string }[];
}

interface Memory {
  readonly text: string;
  readonly origin: string;
  readonly kind: string;
  readonly tags: readonly string[];
  readonly [other: string]: unknown;
}

describe("importing the store of another product", () => {
  let place: Place;
  beforeEach(() => {
    place = newPlace();
  });
  afterEach(() => place.remove());

  const bring = (...words: readonly string[]) => place.json<Imported>(["import", ...words]);
  const memories = async () => {
    const listed = await place.json<Memory[] | { memories: Memory[] }>(["memories", "list", "--limit", "100"]);
    return Array.isArray(listed) ? listed : listed.memories;
  };
  const twice = async (...words: readonly string[]) => {
    const again = await bring(...words);
    expect(again).toMatchObject({ events: 0, rules: 0, memories: 0 });
  };
  /** The secret is nowhere in the database: not in a row, an index or the journal. */
  const keptNoSecret = () => {
    for (const file of ["mind.db", "mind.db-wal"].map((name) => join(place.home, name)))
      expect(contentOf(file)).not.toContain(secret.slice(4));
  };

  it("learned-behavior: calls with their outcome, rules that wait for the owner", async () => {
    const path = join(place.dir, "learning.db");
    writeLearnedBehavior(path);
    expect(await bring(path)).toMatchObject({
      sessions: 2,
      events: 4,
      failures: 2,
      rules: 3,
      memories: 0,
      leftOut: [{ what: "events", count: 1, why: "neither a call nor a prompt was recorded" }],
    });
    await twice(path, "--from", "learned-behavior");
    const shown = await place.json<{ events: unknown[] }>(["sessions", "show", "s1"]);
    expect(shown).toMatchObject({
      session: { host: "claude-code", workspace: "/w/shop" },
      events: [
        { kind: "prompt" },
        { kind: "call", tool: "Bash", outcome: "failed", error: 'npm error Missing script: "biuld"' },
        { kind: "call", outcome: "denied" },
      ],
    });
    const rules = await place.json<{ id: string; text: string }[]>(["rules"]);
    expect(rules).toHaveLength(3);
    const imported = (rest: object) =>
      expect.objectContaining({ level: "watch", origin: "external", ...rest }) as unknown;
    const inShop = { kind: "workspace", workspace: "/w/shop" };
    expect(rules).toEqual(
      expect.arrayContaining([
        imported({ status: "candidate", confidence: 0.8, scope: inShop }),
        imported({ status: "candidate", scope: { kind: "workspace", workspace: "/w/other" } }),
        imported({ status: "retired", scope: inShop }),
      ]),
    );
    const built = rules.find((rule) => rule.text.startsWith("Build script"));
    const why = await place.json<{ because: unknown[] }>(["rules", "why", built?.id ?? ""]);
    expect(why.because).toMatchObject([{ ref: { session: "s1", seq: 2 } }]);
    keptNoSecret();
  });

  it("learned-behavior: the same call told by a hook is one event, and what was forgotten stays so", async () => {
    const path = join(place.dir, "learning.db");
    writeLearnedBehavior(path);
    const payload = {
      session_id: "s1",
      hook_event_name: "PostToolUseFailure",
      cwd: "/w/shop",
      tool_name: "Bash",
      tool_input: { command: "npm run biuld" },
      tool_use_id: "toolu_1",
      error: 'Exit code 1\nnpm error Missing script: "biuld"',
    };
    await place.run(["hook", "claude-code"], { stdin: JSON.stringify(payload) });
    expect(await bring(path)).toMatchObject({ events: 3, rules: 3 });
    const [rule] = await place.json<{ id: string }[]>(["rules"]);
    await place.json(["rules", "forget", rule?.id ?? ""]);
    await twice(path);
  });

  it("living-board: what it learned, its log, goals and tasks; what is not known is said", async () => {
    const clone = join(place.dir, "living-board");
    const data = writeLivingBoard(clone);
    expect(await bring(clone)).toMatchObject({
      ...{ events: 3, rules: 0, memories: 3, goals: 4, tasks: 3, others: 6 },
      leftOut: [
        { what: "tasks", count: 1, why: "their goal is not there" },
        { what: "learnings", count: 1, why: "they have no id, time or text" },
        { what: "unknown fields of goals", count: 1, why: "mood" },
      ],
    });
    await twice(data);
    await twice(join(data, "learnings.json"), "--from", "living-board");
    const known = await memories();
    expect(known.find((memory) => memory.text.startsWith("Publish weekly"))).toMatchObject({
      origin: "external",
      kind: "learning",
      category: "strategy",
      confidence: 0.7,
    });
    expect(await place.json(["sessions", "show", "g-1"])).toMatchObject({
      session: { host: "living-board", workspace: null },
      events: [{ kind: "answer", text: "execute: Researched the platform" }, { kind: "answer" }],
    });
    keptNoSecret();
  });

  it("hermes: one memory for each entry, found at its home", async () => {
    const home = join(place.user, ".hermes");
    writeHermes(home);
    expect(await bring()).toMatchObject({
      files: 1,
      memories: 4,
      leftOut: [
        { what: "skills", count: 2, why: "skills are not imported yet" },
        { what: "SOUL.md", count: 1 },
      ],
    });
    expect(await bring()).toMatchObject({ unchanged: 1, memories: 0 });
    await twice(home);
    await twice(join(home, "memories", "USER.md"));
    const known = await memories();
    expect(known.map(({ text, kind, origin }) => [text, kind, origin])).toEqual(
      expect.arrayContaining([
        ["The shop deploys from main.", "fact", "external"],
        ["Ann prefers short answers.", "profile", "external"],
        ["Ann works in Vienna § and on trains.", "profile", "external"],
      ]),
    );
    keptNoSecret();
  });

  it("hermes: the sessions of its database are imported beside its memories", async () => {
    const home = join(place.user, ".hermes");
    writeHermes(home);
    writeHermesSessions(home);
    const both = { files: 2, sessions: 1, events: 2, failures: 1, memories: 4, damaged: 0 };
    const left = [{ what: "skills" }, { what: "SOUL.md" }].map((one) => expect.objectContaining(one) as unknown);
    expect(await bring()).toMatchObject({ ...both, leftOut: left });
    expect(await bring()).toMatchObject({ files: 2, unchanged: 2, events: 0, memories: 0 });
    expect(await place.json(["sessions", "show", "s1"])).toMatchObject({
      session: { host: "hermes", workspace: "/home/ada/shop" },
      events: [{ kind: "prompt" }, { kind: "call", tool: "terminal", outcome: "failed" }],
    });
    keptNoSecret();
  });

  it("hermes: its home, given as a path, is imported with its sessions; so is its database alone", async () => {
    const home = join(place.dir, "hermes");
    writeHermesSessions(home);
    expect(await bring(home, "--from", "hermes")).toMatchObject({ files: 1, events: 2, memories: 0 });
    await twice(join(home, "state.db"), "--from", "hermes");
    writeHermes(home);
    expect(await bring(home)).toMatchObject({ files: 2, events: 0, memories: 4 });
  });

  it("claude-mem: prompts, calls, summaries and what it noted, found at its place", async () => {
    writeClaudeMem(join(place.user, ".claude-mem", "claude-mem.db"));
    expect(await bring("--from", "claude-mem")).toMatchObject({ files: 1, sessions: 2, events: 4, memories: 2 });
    await twice(join(place.user, ".claude-mem", "claude-mem.db"));
    expect(await place.json(["sessions", "show", "c1"])).toMatchObject({
      session: { host: "claude-code", workspace: "/w/shop" },
      events: [{ kind: "prompt" }, { kind: "call", tool: "Bash", outcome: "ok" }, { kind: "answer" }].map((event) =>
        expect.objectContaining(event),
      ),
    });
    const inShop = await place.json<{ memories: Memory[] } | Memory[]>(["memories", "list", "--workspace", "/w/shop"]);
    expect(JSON.stringify(inShop)).toContain("npm test is quick");
    // If no folder was recorded, none is made up.
    const known = await memories();
    expect(known.find((memory) => memory.text.startsWith("Login loops"))).toMatchObject({
      scope: { kind: "global" },
      tags: expect.arrayContaining(["project:shop", "bugfix"]) as unknown,
    });
    keptNoSecret();
  });

  it("claude-mem: prompts of a session whose own record is here are not told twice", async () => {
    const path = join(place.dir, "claude-mem.db");
    writeClaudeMem(path);
    const prompt = { session_id: "c2", hook_event_name: "UserPromptSubmit", cwd: "/w", prompt: "what is left to do?" };
    await place.run(["hook", "claude-code"], { stdin: JSON.stringify(prompt) });
    expect(await bring(path)).toMatchObject({ events: 3, skipped: 1 });
  });

  it("takes only what is from a time on, or of a workspace", async () => {
    const path = join(place.dir, "claude-mem.db");
    writeClaudeMem(path);
    expect(await bring(path, "--since", "2026-03-02T00:00:00Z")).toMatchObject({ events: 1, memories: 1 });
    const learning = join(place.dir, "learning.db");
    writeLearnedBehavior(learning);
    expect(await bring(learning, "--workspace", "/w/other")).toMatchObject({ events: 0, rules: 1 });
    expect(await bring(learning)).toMatchObject({ events: 4, rules: 2 });
  });

  it("tells of a broken store in words, and loses nothing", async () => {
    const path = join(place.dir, "learning.db");
    writeLearnedBehavior(path);
    await bring(path);
    const before = await place.json(["status"]);
    const bad = join(place.dir, "bad.db");
    writeFileSync(bad, readFileSync(path));
    truncateSync(bad, 5_000);
    writeFileSync(join(place.dir, "none.db"), "no database at all");
    const data = writeLivingBoard(join(place.dir, "board"));
    writeFileSync(join(data, "learnings.json"), "@@file:/home/user/learnings.json");
    mkdirSync(join(place.dir, "empty"));
    const cases: readonly (readonly [words: readonly string[], said: string])[] = [
      [[bad], `cannot read all of ${bad}`],
      [[bad, "--from", "claude-mem"], `cannot read all of ${bad}`],
      [[join(place.dir, "none.db"), "--from", "learned-behavior"], "file is not a database"],
      [[data], "learnings.json is not a JSON list"],
      [[join(place.dir, "empty"), "--from", "living-board"], "there is no Living Board at"],
      [[join(place.dir, "empty"), "--from", "hermes"], "no Hermes data at"],
      [[join(place.dir, "empty")], "it is a folder"],
      [[join(place.dir, "gone.db"), "--from", "claude-mem"], "there is no such file"],
    ];
    for (const [words, said] of cases) {
      const ran = await place.run(["import", ...words]);
      expect(ran.code, describeRun(ran)).toBe(2);
      expect(ran.stderr).toContain(said);
    }
    expect(await place.json(["status"])).toEqual(before);
  });
});

function contentOf(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
