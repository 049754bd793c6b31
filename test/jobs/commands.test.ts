import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../src/lib/clock.ts";
import { stores } from "../stores.ts";
import { START, withJobs } from "./job-place.ts";

const secrets = [
  `T=ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}; echo "\${#T}"`,
  "psql postgres://app:app@localhost/app",
  "mysqldump -psecret123 shop",
  "TOKEN=abc123def456 ./deploy",
];
const references = [
  "TOKEN=$TOKEN ./deploy",
  "TOKEN=$(cat token.txt) ./deploy",
  'psql "postgres://app:${PASSWORD}@localhost/app"',
];

describe.each(stores)("the command of a job on $name", (kind) => {
  it.each(secrets)("is refused with a secret in it: %s", (command) =>
    withJobs(kind, async (place) => {
      await expect(place.add("tests", { command })).rejects.toMatchObject({
        code: "usage",
        message: expect.stringContaining("the command contains a secret"),
        hint: expect.stringContaining("put it in a file or a variable"),
      });
      expect((await place.run("job list", {})).jobs).toEqual([]);
      await place.add("tests", { command: "true" });
      await expect(place.run("job edit", { name: "tests", command })).rejects.toThrow(/contains a secret/);
      expect((await place.run("job list", {})).jobs).toMatchObject([{ work: "true" }]);
    }),
  );

  it.each(references)("may name where a secret is: %s", (command) =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command });
      expect((await place.run("job list", {})).jobs).toMatchObject([{ work: command }]);
    }),
  );

  it("does not run with a placeholder that an earlier version stored instead of a secret", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: "true" });
      await place.ctx.db.run("update jobs set work = replace(work, 'true', 'echo [redacted:github-token]')");
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot).toMatchObject({ fate: "failed", detail: expect.stringContaining("job edit tests --command") });
    }));

  it("can be changed, with its folder, its time limit and its model", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: "true" });
      const folder = join(place.ctx.config.home, "elsewhere");
      mkdirSync(folder);
      const edited = await place.run("job edit", {
        ...{ name: "tests", command: "pwd", folder, seconds: 60, model: "ollama/small" },
      });
      expect(edited.job).toMatchObject({ work: "pwd", folder, seconds: 60, model: "ollama/small", cron: "0 * * * *" });
      expect((await place.run("job run", { name: "tests" })).slot.detail).toBe(folder);
      await expect(place.run("job edit", { name: "tests", folder: "/nowhere/at/all" })).rejects.toThrow(/not there/);
      await place.run("job add", { name: "heartbeat" });
      await expect(place.run("job edit", { name: "heartbeat", command: "true" })).rejects.toThrow(/comes with oldhand/);
    }));

  it("that ends by a signal says which", () =>
    withJobs(kind, async (place) => {
      await place.add("killed", { command: "kill -9 $$" });
      expect((await place.run("job run", { name: "killed" })).slot.detail).toMatch(/^ended by the signal SIGKILL/);
    }));

  it("prints nothing that a terminal would obey", () =>
    withJobs(kind, async (place) => {
      await place.add("tests", { command: String.raw`printf 'a\033[31mred\033[0m\007\rb\n'` });
      const { slot } = await place.run("job run", { name: "tests" });
      expect(slot.detail).toMatch(/red/);
      expect(slot.detail?.replaceAll("\n", "")).not.toMatch(/\p{Cc}/u);
    }));
});

describe.each(stores)("the slots of a removed job, on $name", (kind) => {
  it("are found by its name", () =>
    withJobs(kind, async (place) => {
      await place.add("tests");
      place.clock.set(START + HOUR);
      await place.tick();
      await place.run("job remove", { name: "tests" });
      const found = await place.run("job why", { name: "tests" });
      expect(found).toMatchObject({ job: null, slots: [{ job: "tests", fate: "ran" }] });
      await expect(place.run("job why", { name: "never-there" })).rejects.toMatchObject({ code: "not-found" });
    }));
});
