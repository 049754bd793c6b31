import { dirname, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { sourceFiles } from "./source.ts";
import { named, tableRows } from "./table.ts";

const files = [...sourceFiles("src"), ...sourceFiles("bench"), ...sourceFiles("sim")];

const rows = tableRows("ARCHITECTURE.md", ["part", "holds", "may import"]);

/** The layers of ARCHITECTURE.md: `store/` or `config.ts`, and what each may import. */
const floors = new Map(
  rows.flatMap((row) => named(row["part"]).map((part) => [part, new Set(named(row["may import"]))] as const)),
);

const toCome = rows.filter((row) => row["holds"]?.startsWith("*to come*")).flatMap((row) => named(row["part"]));

const edges = files.flatMap((file) =>
  file.imports
    .filter((name) => name.startsWith("."))
    .map((name) => ({ from: file.path, to: posix.join(dirname(file.path), name) })),
);

describe("the import law", () => {
  it("has a row for everything under src, bench and sim, and says of the others that they are to come", () => {
    const there = new Set(files.map((file) => partOf(file.path)));
    expect([...there].filter((part) => !floors.has(part))).toEqual([]);
    expect(toCome.toSorted()).toEqual([...floors.keys()].filter((part) => !there.has(part)).toSorted());
  });

  it("lets a row name only parts that exist", () => {
    const unknown = [...floors].flatMap(([part, may]) =>
      [...may].filter((one) => !floors.has(one)).map((one) => `${part} → ${one}`),
    );
    expect(unknown).toEqual([]);
  });

  it("is a one-way street: the floors can be walked from the ground up", () => {
    const built = new Set<string>();
    for (let before = -1; before < built.size;) {
      before = built.size;
      for (const [part, may] of floors) if ([...may].every((one) => built.has(one))) built.add(part);
    }
    expect([...floors.keys()].filter((part) => !built.has(part))).toEqual([]);
  });

  it("is kept by every import", () => {
    const broken = edges.filter(({ from, to }) => {
      if (!/^(src|bench|sim)\//.test(to)) return to !== "package.json" && !isTest(from);
      const [here, there] = [partOf(from), partOf(to)];
      return here !== there && !floors.get(here)?.has(there);
    });
    expect(broken.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("keeps the verbs apart: they meet in the store", () => {
    const verbs = ["observe/", "distil/", "recall/", "record/"];
    const broken = edges.filter(({ from, to }) => {
      const [here, there] = [partOf(from), partOf(to)];
      return here !== there && verbs.includes(here) && verbs.includes(there);
    });
    expect(broken.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("keeps the two stores apart: what they share is above them", () => {
    const broken = edges.filter(
      ({ from, to }) =>
        (from.startsWith("src/store/sqlite/") && to.startsWith("src/store/postgres/")) ||
        (from.startsWith("src/store/postgres/") && to.startsWith("src/store/sqlite/")),
    );
    expect(broken.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("has no circle of folders, however deep", () => {
    const roomOf = (path: string) => (dirname(path) === "src" ? path : dirname(path));
    const code = edges.filter(({ from, to }) => !isTest(from) && to.endsWith(".ts"));
    const needs = new Map<string, Set<string>>();
    for (const { from, to } of code) {
      const [here, there] = [roomOf(from), roomOf(to)];
      if (here !== there) needs.set(here, (needs.get(here) ?? new Set()).add(there));
    }
    for (let before = -1; before !== needs.size;) {
      before = needs.size;
      for (const [room, others] of needs) if ([...others].every((one) => !needs.has(one))) needs.delete(room);
    }
    expect(
      [...needs].map(([room, others]) => `${room} → ${[...others].filter((one) => needs.has(one)).join(", ")}`),
    ).toEqual([]);
  });

  it("keeps hosts below the importers and the stores of other products", () => {
    const broken = edges.filter(
      ({ from, to }) => from.startsWith("src/observe/hosts/") && /^src\/observe\/(imports|stores|installed)\//.test(to),
    );
    expect(broken.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("keeps hosts apart: one folder knows one host", () => {
    const hostOf = (path: string) => /^src\/observe\/hosts\/([^/]+)\//.exec(path)?.[1];
    const broken = edges.filter(({ from, to }) => {
      const [here, there] = [hostOf(from), hostOf(to)];
      return here !== undefined && there !== undefined && here !== there;
    });
    expect(broken.map(({ from, to }) => `${from} imports ${to}`)).toEqual([]);
  });

  it("lets the dashboard know oldhand only through its HTTP API", () => {
    const outside = sourceFiles("dashboard/src").flatMap((file) =>
      file.imports
        .filter((name) => name.startsWith(".") && !posix.join(dirname(file.path), name).startsWith("dashboard/src/"))
        .map((name) => `${file.path} imports ${name}`),
    );
    expect(outside).toEqual([]);
  });
});

/** Tests next to the code may use what is under test/. */
function isTest(path: string): boolean {
  return path.includes(".test.");
}

/** `src/store/sqlite/db.ts` → `store/`; `src/config.ts` → `config.ts`; `bench/store.ts` → `bench/`; `sim/` likewise. */
function partOf(path: string): string {
  if (path.startsWith("bench/")) return "bench/";
  if (path.startsWith("sim/")) return "sim/";
  const [, first = "", more] = path.split("/");
  return more === undefined ? first : `${first}/`;
}
