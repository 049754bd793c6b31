import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { metaKeys, onlyInStore, tables } from "../../src/store/state/tables.ts";
import { root } from "../program.ts";

/** Each table of a schema with its columns, and those whose number the store gives out. */
function tablesOf(dialect: "sqlite" | "postgres") {
  const schema = readFileSync(join(root, "src", "store", dialect, "schema.sql"), "utf8");
  const found = new Map<string, { readonly columns: readonly string[]; readonly numbered: boolean }>();
  for (const [, name, body] of schema.matchAll(
    /create (?:virtual )?table (\w+)[^(]*\(\n([\s\S]*?)\n[^\n]*\)[^\n]*;/gi,
  )) {
    const lines = (body ?? "").split("\n").map((line) => line.trim().replace(/^, /, ""));
    found.set(name as string, {
      columns: lines.map((line) => /^\w+/.exec(line)?.[0] ?? ""),
      numbered: /autoincrement|as identity/i.test(body ?? ""),
    });
  }
  return found;
}

describe.each(["sqlite", "postgres"] as const)("the declared tables and the schema of %s", (dialect) => {
  const schema = tablesOf(dialect);
  const declared = tables.filter(({ name }) => (onlyInStore[name] ?? dialect) === dialect);

  it("are the same: a table without a declaration would be in no backup", () => {
    expect(declared.map(({ name }) => name).toSorted()).toEqual([...schema.keys()].toSorted());
  });

  it("agree about every column that the declaration names", () => {
    for (const { name, index, order, events = [], session } of declared) {
      if (index !== undefined) continue;
      const named = [...order.split(", "), ...events, ...(session ? [session.id, session.host ?? session.id] : [])];
      expect(
        named.filter((column) => !schema.get(name)?.columns.includes(column)),
        name,
      ).toEqual([]);
    }
  });

  it("agree about whose ids the store gives out, where a backup brings rows with theirs", () => {
    const kept = declared.filter(({ backup }) => backup === "kept");
    expect(kept.filter(({ numbered }) => numbered).map(({ name }) => name)).toEqual(
      kept.filter(({ name }) => schema.get(name)?.numbered).map(({ name }) => name),
    );
  });
});

describe("the declared tables", () => {
  it("say of every row that names a session what a purge does with it", () => {
    const schema = tablesOf("sqlite");
    // The ledger is told by people and agents on purpose: an entry outlives the session it names.
    const lasting = ["mistakes", "wins", "purged"];
    const withSession = [...schema].filter(([, { columns }]) => columns.includes("session")).map(([name]) => name);
    const tied = tables
      .filter(({ session, counts }) => session !== undefined || counts === true)
      .map(({ name }) => name);
    expect(withSession.filter((name) => !tied.includes(name) && !lasting.includes(name))).toEqual([]);
  });

  it("are named in no other list of the store", () => {
    const backup = readFileSync(join(root, "src", "store", "backup.ts"), "utf8");
    expect(tables.filter(({ name }) => new RegExp(`"${name}"`).test(backup)).map(({ name }) => name)).toEqual(["meta"]);
    expect(new Set(metaKeys.map(({ starts }) => starts)).size).toBe(metaKeys.length);
  });
});
