import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { version } from "../../src/version.ts";
import { cleanEnv, exec, newPlace, type Place, root, describeRun } from "../program.ts";

let place: Place;
let folder: string;

/** Packs the package and installs it into an empty folder. No network: the one optional dependency is copied. */
beforeAll(async () => {
  place = newPlace();
  folder = join(place.dir, "consumer");
  mkdirSync(folder);
  const env = { ...cleanEnv(place.user), npm_config_update_notifier: "false" };
  const packed = await exec("npm", ["pack", "--ignore-scripts", "--pack-destination", place.dir], { env, cwd: root });
  expect(packed.code, describeRun(packed)).toBe(0);
  writeFileSync(join(folder, "package.json"), '{"name":"consumer","private":true,"type":"module"}');
  const words = ["install", join(place.dir, `oldhand-${version}.tgz`), "--omit=optional", "--offline", "--no-audit"];
  const installed = await exec("npm", words, { env, cwd: folder });
  expect(installed.code, describeRun(installed)).toBe(0);
  const engine = join(root, "node_modules", "@photostructure", "sqlite");
  if (existsSync(engine))
    cpSync(engine, join(folder, "node_modules", "@photostructure", "sqlite"), { recursive: true, dereference: true });
});
afterAll(() => place.remove());

const env = () => ({ ...cleanEnv(place.user), OLDHAND_HOME: place.home });

describe("the package", () => {
  it("brings what runs and nothing of the workshop", () => {
    const files = readdirSync(join(folder, "node_modules", "oldhand"));
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "dist", "package.json", "samples"]));
    for (const name of ["src", "test", "node_modules", "dashboard", "scripts"]) expect(files).not.toContain(name);
    const installed = readdirSync(join(folder, "node_modules")).filter((name) => !name.startsWith("."));
    expect(installed.toSorted()).toEqual(
      existsSync(join(folder, "node_modules", "@photostructure")) ? ["@photostructure", "oldhand"] : ["oldhand"],
    );
  });

  it("brings the templates along that a mind begins with", async () => {
    const bin = join(folder, "node_modules", ".bin", "oldhand");
    const init = await exec(bin, ["init", "--name", "Ada", "--yes"], {
      env: { ...env(), OLDHAND_HOME: join(place.dir, "begun") },
    });
    expect(init.code, describeRun(init)).toBe(0);
    expect(readFileSync(join(place.dir, "begun", "SOUL.md"), "utf8")).toContain("Name: Ada\n");
  });

  it("has a program that runs: version, import, report, dashboard and hook", async () => {
    const bin = join(folder, "node_modules", ".bin", "oldhand");
    expect(await exec(bin, ["--version"], { env: env() })).toMatchObject({ code: 0, stdout: `${version}\n` });
    const start = await exec(bin, ["start", "--no-serve"], { env: env() });
    expect(start.code, describeRun(start)).toBe(0);
    expect(start.stdout).toContain("git push");
    const doctor = await exec(bin, ["doctor"], { env: env() });
    expect(doctor.code, describeRun(doctor)).toBe(0);
    expect(existsSync(join(folder, "node_modules", "oldhand", "dist", "dashboard", "index.html"))).toBe(true);
  });

  it("has a library: openMind, operations by name, errors with a code, closing by itself", async () => {
    writeFileSync(
      join(folder, "use.mjs"),
      `import { openMind, OldhandError, redact, version } from "oldhand";
       import { temporaryMind } from "oldhand/testing";
       const mind = await openMind({ home: process.argv[2] });
       const status = await mind.run("status");
       await mind.run("learn", { text: "from the library" });
       const rules = await mind.run("rules list");
       await mind.run("learn", { text: "Use pnpm.", command: "npm test" });
       await mind.run("remember", { text: "The owner prefers Rust" });
       const recalled = await mind.recall("which language does the owner prefer?");
       const matched = await mind.match({ command: "npm test" });
       const kinds = [];
       for await (const event of mind.stream("distil", { write: false })) kinds.push(event.kind);
       const gone = await mind.run("distil", {}, { signal: AbortSignal.abort() }).catch((error) => error);
       const refused = await mind.run("rules show", { id: "r_none" }).catch((error) => error);
       const unknown = await mind.run("frobnicate").catch((error) => error);
       await mind.close();
       const fake = await temporaryMind();
       const empty = await fake.run("status");
       await fake.close();
       console.log(JSON.stringify({
         version, events: status.counts.events, rules: rules.map((rule) => rule.text), empty: empty.counts.events,
         refused: refused instanceof OldhandError && refused.code, unknown: unknown.code, redact: redact("plain"), gone: gone.code,
         recalled: recalled.pieces.map((piece) => piece.text), matched: matched.rules.map((rule) => rule.text),
         kinds: [...new Set(kinds)], last: kinds.at(-1),
       }));`,
    );
    const home = join(place.dir, "library");
    const ran = await exec(process.execPath, [join(folder, "use.mjs"), home], { env: env(), cwd: folder });
    expect(ran.code, describeRun(ran)).toBe(0);
    expect(JSON.parse(ran.stdout)).toEqual({
      version,
      events: 0,
      rules: ["from the library"],
      empty: 0,
      refused: "not-found",
      unknown: "usage",
      redact: "plain",
      gone: "stopped",
      recalled: ["The owner prefers Rust"],
      matched: ["Use pnpm."],
      kinds: ["progress", "result"],
      last: "result",
    });
    // The program sees what the library stored.
    expect(await place.json(["rules", "--home", home])).toMatchObject([
      { text: "from the library" },
      { text: "Use pnpm." },
    ]);
  });

  it("has types a strict consumer can use, by the name of the operation, without zod", async () => {
    writeFileSync(
      join(folder, "use.ts"),
      `import { openMind, OldhandError, type Input, type Mind, type MindOptions, type Output, type Rule } from "oldhand";
       import { temporaryMind } from "oldhand/testing";
       type Fits<A, B> = A extends B ? true : false;
       type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;
       export const laws: readonly true[] = [
         true satisfies Same<keyof MindOptions & "hoem", never>,
         true satisfies Same<Fits<"shout", Rule["level"]>, false>,
         true satisfies Same<Fits<"rules lst", Parameters<Mind["run"]>[0]>, false>,
         true satisfies Same<Fits<{ status: "aproved" }, Input<"rules list">>, false>,
         true satisfies Same<Output<"rules list">[number]["pinned"], boolean>,
         true satisfies Same<Fits<string, Output<"status">["counts"]["events"]>, false>,
       ];
       export async function use(home: string): Promise<string> {
         await using mind: Mind = await openMind({ home });
         const rules = await mind.run("rules list", { status: "approved" });
         const known = await mind.recall("which shell?", { limit: 3 });
         const matched = await mind.match({ command: "npm test" });
         let events = 0;
         for await (const event of mind.stream("import", { path: ["x.jsonl"] }))
           if (event.kind === "result") events = event.result.events;
         const fake = await temporaryMind({ now: "2026-01-01T00:00:00Z" });
         fake.clock.advance(1000);
         const level: Rule["level"] | undefined = rules[0]?.level;
         return String(level) + known.quoted + String(matched.rules.length + events) + new OldhandError("usage", "x").code;
       }`,
    );
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({
        compilerOptions: {
          target: "es2023",
          lib: ["es2023", "esnext.disposable"],
          module: "nodenext",
          strict: true,
          exactOptionalPropertyTypes: true,
          noEmit: true,
          // Our own declarations are checked too: one that needs zod would fail, because it is not installed.
          skipLibCheck: false,
          typeRoots: [join(root, "node_modules", "@types")],
          types: ["node"],
        },
        files: ["use.ts"],
      }),
    );
    const tsc = join(dirname(createRequire(import.meta.url).resolve("typescript/package.json")), "bin", "tsc");
    const ran = await exec(process.execPath, [tsc, "-p", folder], { env: env(), cwd: folder });
    expect([ran.code, ran.stdout]).toEqual([0, ""]);
  });

  it("says in its package.json just what it needs", () => {
    const manifest = JSON.parse(
      readFileSync(join(folder, "node_modules", "oldhand", "package.json"), "utf8"),
    ) as Record<string, unknown>;
    expect(manifest["dependencies"] ?? {}).toEqual({});
    const optional = Object.keys((manifest["optionalDependencies"] ?? {}) as object);
    expect(optional).toEqual(["@photostructure/sqlite", "@vscode/ripgrep"]);
  });
});
