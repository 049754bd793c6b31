import { readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { operationNamed } from "../../../src/operations.ts";
import { skipWithoutSandbox } from "../../converse/sandbox.ts";
import { codex } from "../goal-place.ts";
import { REVIEWER, shopFiles, withProof, withReviewer, workDone } from "./proof-place.ts";

const check = { check: "sh tools/verify.sh" };

describe.skipIf(skipWithoutSandbox)("the check of a task", () => {
  it("is run by the owner alone, and recorded as the work of nobody's agent", () =>
    withProof({ check }, async ({ id, shop, run, verify }) => {
      shop.write(workDone);
      shop.commit();
      await expect(run("task verify", { task: id }, codex)).rejects.toMatchObject({ code: "refused" });
      const { change } = await verify();
      const { changes } = await run("history", {});
      expect(changes.find((one) => one.id === change?.id)).toMatchObject({ actor: "worker proof" });
    }));

  it("is nothing that agents are offered", () => {
    expect(operationNamed("task verify").surfaces).toEqual(["cli", "http"]);
    expect(JSON.stringify(z.toJSONSchema(operationNamed("goal tool").input))).not.toContain("verify");
  });

  it("that was changed in the database is not run", () =>
    withProof({ check }, async ({ id, ctx, verify }) => {
      const [row] = await ctx.db.all<{ bound_check: string }>("select bound_check from tasks where id = ?", [id]);
      const other = (row?.bound_check ?? "").replace("sh tools/verify.sh", "true");
      await ctx.db.run("update tasks set bound_check = ? where id = ?", [other, id]);
      await expect(verify()).rejects.toMatchObject({ code: "refused" });
    }));

  it("takes back a claim that it finds untrue, with the last lines of its output and no secret", () =>
    withProof(
      {
        check: { check: "sh tools/say.sh" },
        files: { ...shopFiles, "tools/say.sh": "cat notes.txt; exit 4\n", "notes.txt": "" },
      },
      async ({ id, shop, run, verify }) => {
        const secret = `ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}`;
        shop.write({ "notes.txt": `first\nthe token is ${secret}\n` });
        shop.commit();
        await run("task done", { task: id, result: "done" });
        const found = await verify();
        expect(found).toMatchObject({ verdict: "failed", task: { status: "pending", proof: null } });
        expect(found.task.reason).toMatch(/ended with 4\.\nfirst\nthe token is/);
        expect(found.task.reason).not.toContain(secret);
        // It was done as long as its only task was.
        expect((await run("goal show", { goal: found.task.goal })).goal.status).toBe("active");
      },
    ));

  it("does not count what is not committed, and says so", () =>
    withProof({ check }, async ({ shop, verify }) => {
      shop.write({ "notes.txt": "begun\n" });
      shop.commit();
      shop.write(workDone);
      shop.write({ "more.txt": "more\n", "mine.txt": "not of interest\n", ".git/info/exclude": "mine.txt\n" });
      expect(await verify()).toMatchObject({ verdict: "failed", uncommitted: 2 });
    }));

  it("claims nothing about a commit from which the work began and that is gone", () =>
    withProof({ check }, async ({ shop, verify }) => {
      shop.git("checkout", "--quiet", "--orphan", "other");
      shop.write(workDone);
      shop.commit();
      shop.git("branch", "--quiet", "-D", "main");
      shop.git("reflog", "expire", "--expire=now", "--all");
      shop.git("gc", "--quiet", "--prune=now");
      expect(await verify()).toMatchObject({
        verdict: "claimed",
        why: expect.stringMatching(/^The commit from which the work began, [\da-f]{10}, is not in .* any more\.$/),
      });
    }));

  it("judges another commit, if one is named", () =>
    withProof({ check }, async ({ shop, verify }) => {
      shop.git("checkout", "--quiet", "-b", "work");
      shop.write(workDone);
      const commit = shop.commit();
      shop.git("checkout", "--quiet", "main");
      expect(await verify()).toMatchObject({
        verdict: "failed",
        why: "Nothing was committed since the task was made.",
      });
      await expect(verify({ commit: "nowhere" })).rejects.toMatchObject({ code: "usage" });
      expect(await verify({ commit: "work" })).toMatchObject({ verdict: "verified", commit });
    }));

  it("writes nothing into the repository and its folder, and leaves nothing behind", () =>
    withProof({ check: { check: "touch made.txt && sh tools/verify.sh" } }, async ({ shop, verify }) => {
      shop.write(workDone);
      shop.commit();
      const list = () => readdirSync(shop.folder, { recursive: true }).toSorted();
      const before = list();
      expect((await verify()).verdict).toBe("verified");
      expect(list()).toEqual(before);
    }));

  it("sees neither the goal's folder nor its other work trees", () =>
    withProof({ check: { check: "cat secret.txt ../*/secret.txt; exit 5" } }, async ({ shop, verify }) => {
      const other = `${shop.folder}-other`;
      shop.git("worktree", "add", "--quiet", other);
      shop.write({ "notes.txt": "begun\n" });
      shop.commit();
      shop.write({ "secret.txt": "not committed\n" });
      const { why } = await verify();
      shop.git("worktree", "remove", "--force", other);
      expect(why).not.toContain("not committed");
    }));

  it("has no network", () =>
    withProof(
      {
        check: {
          check:
            "node -e \"require('net').connect(9, '127.0.0.1').on('error', (e) => { console.log(e.code); process.exit(1) })\"; cat /proc/net/dev | tail -n +3 | wc -l; exit 6",
        },
      },
      async ({ shop, verify }) => {
        shop.write({ "notes.txt": "begun\n" });
        shop.commit();
        expect((await verify()).why).toMatch(/\n1$/);
      },
    ));

  it("that could not be run before the work proves nothing", () =>
    withProof({ check: { check: "./tools/made.sh" } }, async ({ shop, verify }) => {
      shop.write({ "tools/made.sh": "#!/bin/sh\nexit 0\n" });
      shop.commit();
      expect(await verify()).toMatchObject({ verdict: "claimed", why: expect.stringContaining("tools/made.sh") });
    }));
});

describe("a reviewer", () => {
  const review = { review: "total() adds all prices" };

  it.each([
    ["says no", '{"met": false, "why": "It returns five."}', "failed", /says no: It returns five/],
    ["answers in prose", "Yes, it is met.", "claimed", /no answer that can be read/],
    [
      "answers with more than was asked",
      '{"met": true, "why": "a", "also": 1}',
      "claimed",
      /no answer that can be read/,
    ],
  ] as const)("who %s verifies nothing", (_name, text, verdict, says) =>
    withReviewer([text], (_model, more) =>
      withProof({ check: review, more }, async ({ shop, verify }) => {
        shop.write(workDone);
        shop.commit();
        expect(await verify()).toMatchObject({ verdict, why: expect.stringMatching(says) });
      }),
    ),
  );

  it("is not the model that did the work", () =>
    withReviewer(['{"met": true, "why": "It is mine."}'], (_model, more) =>
      withProof(
        { check: { ...review, metadata: JSON.stringify({ model: REVIEWER }) }, more },
        async ({ shop, verify }) => {
          shop.write(workDone);
          shop.commit();
          expect(await verify()).toMatchObject({ verdict: "claimed" });
        },
      ),
    ));

  it("that is not there leaves a claim, and it is said how to add one", () =>
    withProof({ check: review }, async ({ shop, verify }) => {
      shop.write(workDone);
      shop.commit();
      expect(await verify()).toMatchObject({ verdict: "claimed", why: expect.stringContaining("models add") });
    }));
});
