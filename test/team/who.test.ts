import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { invoke } from "../../src/invoke.ts";
import { openConfig, openContext } from "../../src/mind.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import { findDisagreements } from "../../src/store/journal/journal.ts";
import { stores, type TestDatabase } from "../stores.ts";
import { type Machine, newMachine } from "./two-machines.ts";

const shared = stores.filter(({ name }) => name === "postgres");

describe.each(shared)("who did what in a team, on $name", (kind) => {
  let database: TestDatabase;
  let ada: Machine;
  let bob: Machine;
  beforeEach(async () => {
    database = await kind.migrated();
    ada = newMachine({ name: "ada", database: database.database, folder: "shop", remote: null });
    bob = newMachine({ name: "bob", database: database.database, folder: "shop", remote: null });
  });
  afterEach(async () => {
    ada.remove();
    bob.remove();
    await database.remove();
  });

  const run = async <Name extends keyof OperationMap>(
    { home }: Machine,
    name: Name,
    input: OperationMap[Name]["input"],
  ): Promise<OperationMap[Name]["output"]> => {
    const operation = operationNamed(name);
    if (operation.needs === "config") return (await invoke(openConfig({ home }), operation, input, name)) as never;
    const mind = await openContext({ home });
    try {
      return (await invoke(mind, operation, input, name)) as never;
    } finally {
      await mind.close();
    }
  };
  const history = async () => {
    const found = await run(ada, "history", {});
    return operationNamed("history").render(found as never, {} as never);
  };
  const add = (machine: Machine, name: string) =>
    run(machine, "job add", { name, cron: "0 0 1 1 *", command: "true", zone: "UTC" });

  it("is in the history, with the machine and the name of the job", async () => {
    await add(ada, "tests");
    await run(bob, "job disable", { name: "tests" });
    const text = await history();
    expect(text).toMatch(/owner on ada {2}job tests: made/);
    expect(text).toMatch(/owner on bob {2}job tests: enabled: yes → no/);
  });

  it("is told of pauses and resets too, which are no changes that undo takes back", async () => {
    await add(ada, "tests");
    await run(bob, "pause", {});
    expect((await run(ada, "job status", {})).paused).toMatchObject({ by: "owner on bob" });
    await run(ada, "resume", {});
    await run(bob, "job reset", { name: "tests" });
    const text = await history();
    expect(text).toMatch(/owner on bob {2}pause of all work/);
    expect(text).toMatch(/owner on ada {2}end of the pause/);
    expect(text).toMatch(/owner on bob {2}job tests: breaker reset/);
    const { changes } = await run(ada, "history", {});
    const pause = changes.find(({ summary }) => summary.startsWith("pause of all work"));
    await expect(run(ada, "undo", { id: pause?.id ?? 0 })).rejects.toMatchObject({ code: "refused" });
    const mind = await openContext({ home: ada.home });
    expect(await findDisagreements(mind.db)).toEqual([]);
    await mind.close();
  });

  it("is undone by the one who did it, unless a number is given", async () => {
    await add(ada, "hers");
    await add(bob, "his");
    await run(ada, "undo", {});
    expect((await run(bob, "job list", {})).jobs.map(({ name }) => name)).toEqual(["his"]);
  });

  it("to the settings stays apart: each machine has its own, and nobody undoes another's", async () => {
    await run(ada, "config", { action: "set", path: "work.atOnce", value: "5" });
    const made = await run(bob, "config", { action: "set", path: "work.atOnce", value: "7" });
    const { changes } = await run(bob, "history", {});
    expect(changes.map(({ actor, subject }) => [actor, subject])).toEqual([
      ["owner on bob", "bob:work"],
      ["owner on ada", "ada:work"],
    ]);
    const hers = changes.at(-1);
    await expect(run(bob, "undo", { id: hers?.id ?? 0 })).rejects.toThrow(/of the settings of ada/);
    expect(made[0]?.changes).toEqual([changes[0]?.id]);
    await run(bob, "undo", {});
    const file = (machine: Machine) =>
      (JSON.parse(readFileSync(join(machine.home, "config.json"), "utf8")) as { work?: { atOnce?: number } }).work;
    expect(file(bob)?.atOnce).toBeUndefined();
    expect(file(ada)?.atOnce).toBe(5);
  });

  it("is in the slots: where each ran", async () => {
    await add(bob, "his");
    await run(bob, "job run", { name: "his" });
    const found = await run(ada, "job why", { name: "his" });
    expect(found.slots).toMatchObject([{ machine: "bob", fate: "ran" }]);
    expect(operationNamed("job why").render(found as never, {} as never)).toMatch(/ran, by hand on bob/);
  });
});
