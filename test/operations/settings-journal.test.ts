import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { invoke } from "../../src/invoke.ts";
import { openConfig, openContext } from "../../src/mind.ts";
import { operations } from "../../src/operations.ts";
import { findDisagreements } from "../../src/store/journal/journal.ts";
import { stores, type TestStore } from "../stores.ts";

interface Home {
  readonly path: string;
  /** Runs a command of the owner; returns what it prints. */
  run(name: string, input?: object): Promise<string>;
  /** The notes that it prints besides. */
  notes(name: string, input?: object): Promise<readonly string[]>;
  file(): Readonly<Record<string, unknown>>;
  edit(change: (file: Record<string, unknown>) => void): void;
  disagreements(): Promise<readonly string[]>;
}

async function withHome(kind: TestStore, act: (home: Home) => Promise<void>): Promise<void> {
  const path = mkdtempSync(join(tmpdir(), "oldhand-settings-"));
  const place = await kind.migrated();
  const config = join(path, "config.json");
  writeFileSync(config, JSON.stringify({ database: place.database, embedder: "none" }));
  const options = { home: path, env: { ANTHROPIC_API_KEY: "plain-key-4711", OLLAMA_HOST: "http://127.0.0.1:9" } };
  const invokeNamed = async (name: string, input: object) => {
    const operation = operations.find((one) => one.name === name);
    if (operation === undefined) throw new Error(name);
    if (operation.needs === "config")
      return { operation, output: await invoke(openConfig(options), operation, input, name) };
    const mind = await openContext(options);
    try {
      return { operation, output: await invoke(mind, operation, input, name) };
    } finally {
      await mind.close();
    }
  };
  try {
    await act({
      path,
      run: async (name, input = {}) => {
        const { operation, output } = await invokeNamed(name, input);
        return operation.render(output, input);
      },
      notes: async (name, input = {}) => {
        const { operation, output } = await invokeNamed(name, input);
        return operation.notes(output);
      },
      file: () => {
        const { database: _database, embedder: _embedder, ...rest } = JSON.parse(readFileSync(config, "utf8"));
        return rest as Readonly<Record<string, unknown>>;
      },
      edit: (change) => {
        const file = JSON.parse(readFileSync(config, "utf8")) as Record<string, unknown>;
        change(file);
        writeFileSync(config, JSON.stringify(file));
      },
      disagreements: async () => {
        const mind = await openContext(options);
        try {
          return await findDisagreements(mind.db);
        } finally {
          await mind.close();
        }
      },
    });
  } finally {
    await place.remove();
    rmSync(path, { recursive: true, force: true });
  }
}

const SONNET = "anthropic/claude-sonnet-4-5";
const HAIKU = "anthropic/claude-haiku-4-5";

describe.each(stores)("a change of the settings, on $name", (kind) => {
  it("is in the journal with before and after, and undo takes it back", () =>
    withHome(kind, async ({ run, file, disagreements }) => {
      await run("models add", { name: SONNET });
      expect(await run("models default", { model: SONNET })).toContain("(change 2; oldhand undo 2 undoes it)");
      expect(await run("config", { action: "set", path: "models.costWeight", value: "7" })).toContain("oldhand undo 3");
      await run("off");
      const history = await run("history");
      expect(history).toMatch(/ 4 .* setting off: made {2}\(operation off\)/);
      expect(history).toMatch(/ 3 .* setting models: costWeight changed {2}\(operation config set\)/);
      expect(await run("why", { id: "3" })).toContain("cost weight: – → 7");
      await run("undo");
      expect(file()).toEqual({ models: { use: [SONNET], default: SONNET, costWeight: 7 } });
      // Another setting was changed since: each can be undone alone.
      await run("undo", { id: 2 });
      expect(file()).toEqual({ models: { use: [SONNET], costWeight: 7 } });
      await run("undo", { id: 3 });
      await run("undo", { id: 1 });
      expect(file()).toEqual({});
      expect(await disagreements()).toEqual([]);
    }));

  it("of several settings at once is one change: an endpoint comes back with its models and as the default", () =>
    withHome(kind, async ({ run, file }) => {
      await run("models add", { name: "workshop/big", url: "http://127.0.0.1:9/v1" });
      await run("models add", { name: HAIKU });
      await run("models default", { model: "workshop/big" });
      const before = file();
      expect(await run("models remove", { name: "workshop" })).toMatch(
        /^Removed workshop with workshop\/big\. The default model is now anthropic\/claude-haiku-4-5\.\n\(change 4; /,
      );
      expect(file()).toEqual({ models: { use: [HAIKU] } });
      await run("undo");
      expect(file()).toEqual(before);
    }));

  it("by hand is noted with the next change, and is never undone by mistake", () =>
    withHome(kind, async ({ run, file, edit, disagreements }) => {
      edit((one) => (one["models"] = { costWeight: 3 }));
      await run("config", { action: "set", path: "models.costWeight", value: "7" });
      expect(await run("history")).toMatch(/setting models: made {2}\(person config\.json: as it was before\)/);
      expect(await disagreements()).toEqual([]);
      edit((one) => (one["models"] = { costWeight: 9 }));
      await expect(run("undo")).rejects.toThrow("config.json was edited since then");
      expect(file()).toEqual({ models: { costWeight: 9 } });
      edit((one) => (one["models"] = { costWeight: 7 }));
      await run("undo");
      expect(file()).toEqual({ models: { costWeight: 3 } });
    }));

  it("shows of a secret only that it changed", () =>
    withHome(kind, async ({ run }) => {
      const address = "http://me:hunter2hunter2@127.0.0.1:9/v1#words";
      await run("config", { action: "set", path: "embedder", value: address });
      await run("config", { action: "set", path: "embedder", value: "minilm" });
      const shown = `${await run("why", { id: "2" })}${await run("why", { id: "3" })}${await run("at", { time: "2999-01-01T00:00:00Z" })}`;
      expect(shown).toContain("(a secret, not stored)");
      expect(shown).not.toContain("hunter2");
      await expect(run("undo")).rejects.toThrow("its old value was a secret");
    }));
});

describe("a change of the settings", () => {
  it("is made without the journal if the database cannot be reached, and the command says so", async () => {
    const [sqlite] = stores as [TestStore];
    await withHome(sqlite, async ({ run, notes, file, edit }) => {
      edit((one) => (one["database"] = "postgres://127.0.0.1:9/nothing"));
      expect(await notes("config", { action: "set", path: "models.costWeight", value: "7" })).toEqual([
        expect.stringMatching(/^the change is not in the journal and cannot be undone: /),
      ]);
      expect(file()).toEqual({ models: { costWeight: 7 } });
      expect(await run("off")).toContain("Off.");
    });
  });
});
