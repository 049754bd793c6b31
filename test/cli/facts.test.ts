import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, describeRun } from "../program.ts";

let place: Place;
let shop: string;
let file: string;

beforeEach(() => {
  place = newPlace();
  shop = join(place.dir, "shop");
  file = join(place.dir, "calls.jsonl");
  mkdirSync(join(shop, ".git"), { recursive: true });
});
afterEach(() => place.remove());

interface ListedFacts {
  readonly id: string;
  readonly workspace: string;
  readonly kind: string;
  readonly text: string;
  readonly sessions: number;
  readonly ref: { readonly session: string; readonly seq: number };
}

/** Writes calls of several sessions as a neutral file. */
function record(calls: readonly { readonly session: string; readonly path: string; readonly error?: string }[]): void {
  const lines = calls.map(({ session, path, error }, at) => ({
    ...{ session, seq: at, ts: new Date(Date.UTC(2026, 10, 12, 9, at)).toISOString(), agent: "claude-code", cwd: shop },
    ...{ tool: "Read", input: { file_path: path }, ok: error === undefined, error_text: error ?? null },
  }));
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
}

const gone = "File does not exist.";

describe("facts", () => {
  it("are there after an import, with the call that showed them, until one is forgotten", async () => {
    record([
      { session: "s1", path: "src/foo.ts", error: gone },
      { session: "s1", path: "src/lib/foo.ts" },
      { session: "s2", path: "src/foo.ts", error: gone },
    ]);
    await place.json(["import", file]);
    mkdirSync(join(shop, "src/lib"), { recursive: true });
    writeFileSync(join(shop, "src/lib/foo.ts"), "");
    const [fact] = await place.json<ListedFacts[]>(["facts"]);
    expect(fact).toMatchObject({
      workspace: shop,
      kind: "missing-path",
      text: "`src/foo.ts` does not exist (a call failed on this on 12 Nov); `src/lib/foo.ts` exists.",
      sessions: 2,
      ref: { session: "s2", seq: 2 },
    });
    expect((await place.run(["facts"])).stdout).toBe(
      `${shop}: 1 fact\n  ${fact?.id}  \`src/foo.ts\` does not exist (a call failed on this on 12 Nov); \`src/lib/foo.ts\` exists. Calls failed on it in 2 sessions.\n`,
    );
    const why = await place.run(["why", fact?.id.slice(0, 8) ?? ""]);
    expect(why.stdout, describeRun(why)).toContain(`${fact?.id}  \`src/foo.ts\` does not exist`);
    expect(why.stdout).toContain("shown by oldhand sessions show s2, event 2\n");
    expect(await place.json(["facts", "--workspace", place.dir])).toEqual([]);
    await place.json(["facts", "forget", fact?.id.slice(0, 8) ?? ""]);
    expect(await place.json(["facts"])).toEqual([]);
    expect((await place.run(["facts", "forget", "f_none"])).code).toBe(1);
  });

  it("are told by `match` of one command, as they would be before the call, and are forgotten by their id", async () => {
    record([{ session: "s1", path: "src/foo.ts", error: gone }]);
    await place.json(["import", file]);
    const [fact] = await place.json<ListedFacts[]>(["facts"]);
    const found = await place.run(["match", "cat src/foo.ts"], { cwd: shop });
    expect(found.code, describeRun(found)).toBe(0);
    expect(found.stdout).toBe(
      "No rule warns against it.\nfact  `src/foo.ts` does not exist (a call failed on this on 12 Nov).\n",
    );
    expect(await place.json(["match", "cat src/foo.ts"], { cwd: shop })).toMatchObject({
      rules: [],
      facts: [{ id: fact?.id, kind: "missing-path", text: fact?.text }],
    });
    expect((await place.run(["match", "touch src/foo.ts"], { cwd: shop })).code).toBe(1);
    // If a rule is shown before the call, facts are not.
    await place.json(["learn", "Read the manual.", "--command", "cat src/foo.ts"]);
    expect(await place.json(["match", "cat src/foo.ts"], { cwd: shop })).toMatchObject({ rules: [{}], facts: [] });
    await place.json(["rules", "reject", (await place.json<{ id: string }[]>(["rules"]))[0]?.id ?? ""]);
    // The file exists now: it is not listed, and still stored, because neither command removes it.
    mkdirSync(join(shop, "src"));
    writeFileSync(join(shop, "src/foo.ts"), "");
    expect((await place.run(["match", "cat src/foo.ts"], { cwd: shop })).stdout).toBe("No rule warns against it.\n");
    expect(await place.json<ListedFacts[]>(["facts"])).toEqual([]);
    const forgotten = await place.run(["forget", fact?.id.slice(0, 8) ?? ""]);
    expect(forgotten.stdout, describeRun(forgotten)).toContain(`Forgotten: ${fact?.id}`);
    expect(await place.json(["facts"])).toEqual([]);
    expect((await place.run(["forget", "f_none"])).code).toBe(1);
    expect((await place.run(["forget", fact?.id ?? ""])).stderr).toContain(`there is no fact ${fact?.id}`);
  });

  it("go with the sessions that met them", async () => {
    record([
      { session: "s1", path: "a.ts", error: gone },
      { session: "s2", path: "a.ts", error: gone },
      { session: "s2", path: "b.ts", error: gone },
    ]);
    await place.json(["import", file]);
    await place.json(["forget", "--session", "s2", "--write"]);
    expect(await place.json<ListedFacts[]>(["facts"])).toMatchObject([
      { text: "`a.ts` does not exist (a call failed on this on 12 Nov).", sessions: 1 },
    ]);
  });

  it("come back with a backup", async () => {
    record([{ session: "s1", path: "a.ts", error: gone }]);
    await place.json(["import", file]);
    const before = await place.json<ListedFacts[]>(["facts"]);
    const backup = join(place.dir, "one.backup");
    await place.json(["backup", backup]);
    const other = newPlace();
    await other.json(["restore", backup, "--write"]);
    expect(await other.json(["facts"])).toEqual(before);
    await other.remove();
  });
});

describe("match --batch", () => {
  it("tells of each call the facts it would meet, by what came before it in its workspace", async () => {
    record([
      { session: "s1", path: "a.ts", error: gone },
      { session: "s2", path: "a.ts", error: gone },
      { session: "s2", path: "a.ts" },
      { session: "s3", path: "a.ts" },
    ]);
    const ran = await place.run(["match", "--batch", file]);
    expect(ran.code, describeRun(ran)).toBe(0);
    const lines = ran.stdout.trim().split("\n");
    const facts = lines.map((line) => (JSON.parse(line) as { facts: { kind: string; text: string }[] }).facts);
    const met = [{ kind: "missing-path", text: "`a.ts` does not exist (a call failed on this on 12 Nov)." }];
    expect(facts).toEqual([[], met, met, []]);
    // A mind that has imported the same file knows no more before each call.
    await place.json(["import", file]);
    expect((await place.run(["match", "--batch", file])).stdout).toBe(ran.stdout);
  });
});
