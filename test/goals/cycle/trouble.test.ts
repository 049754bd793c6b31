import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../../src/lib/clock.ts";
import { ownProcessRef } from "../../../src/lib/process-ref.ts";
import { listTaskAttempts } from "../../../src/store/goals/attempts.ts";
import { listMemories } from "../../../src/store/nouns/memories.ts";
import { acquireLease } from "../../../src/store/state/leases.ts";
import { CYCLE_LEASE } from "../../../src/work/goals/cycle/cycle-fence.ts";
import { skipWithoutSandbox } from "../../converse/sandbox.ts";
import { stores } from "../../stores.ts";
import { plans, readIn, reports, withCycles, writes } from "./cycle-place.ts";

const tooMany = { error: { status: 429, type: "rate_limit_error", message: "Slow down.", retryAfter: 3_600 } } as const;

describe.each(stores)("a cycle in trouble on $name", (kind) => {
  it("puts a task off when the provider has had enough, and that does not count", () =>
    withCycles(kind, { script: [tooMany, tooMany, writes("a.txt", "a"), reports("Done.")] }, async (place) => {
      const { run, goal, task, mind, clock } = place;
      const id = await task(await goal("ship"), "Write a", { file: "a.txt" });
      for (const hour of [0, 1]) {
        clock.set(place.clock.now() + hour * HOUR);
        const put = await run("cycle", {});
        expect(put, JSON.stringify(put)).toMatchObject({ outcome: "deferred", task: { id, status: "pending" } });
      }
      clock.set(clock.now() + 2 * HOUR);
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
      const attempts = await listTaskAttempts(mind.db, { task: id });
      expect(attempts.map(({ state }) => state)).toEqual(["deferred", "deferred", "verified"]);
    }));

  it("puts everything off without a model, and says what to do", () =>
    withCycles(kind, { script: [], settings: { models: { use: [] } } }, async ({ run, goal, task, model }) => {
      await task(await goal("ship"), "Write a", { file: "a.txt" });
      const put = await run("cycle", {});
      expect(put).toMatchObject({ outcome: "deferred", reason: expect.stringContaining("oldhand models add") });
      expect(model.requests).toHaveLength(0);
    }));

  it("stops at the cost of a cycle, checks what is there, and counts that", () =>
    withCycles(
      kind,
      {
        script: [{ ...writes("a.txt", "a"), usage: { in: 150_000, out: 10 } }, reports("Never said.")],
        settings: { goals: { cycleCost: 0.5 } },
      },
      async ({ run, goal, task, model }) => {
        await task(await goal("ship"), "Write a", { file: "a.txt" });
        const ended = await run("cycle", {});
        expect(ended, JSON.stringify(ended)).toMatchObject({ outcome: "verified", cost: 0.45 + 10 * 15e-6 });
        expect(ended.reason).toContain("goals.cycleCost");
        expect(model.requests).toHaveLength(1);
      },
    ));

  it("tries a task again with what failed before, and blocks it after three attempts", () =>
    withCycles(
      kind,
      {
        script: [1, 2, 3].map((n) => ({ text: `Could not.\n[STRATEGY]{"name": "way ${n}"}` })),
      },
      async ({ run, goal, task, asked }) => {
        const first = await goal("ship");
        const id = await task(first, "Write a", { file: "a.txt" });
        for (const n of [1, 2, 3]) {
          const failed = await run("cycle", {});
          expect(failed).toMatchObject({ outcome: "failed", task: { id, status: "pending" } });

          if (n > 1) expect(asked(-1)).toContain(`Attempt ${n - 1} (way ${n - 1})`);
        }
        const blocked = await run("cycle", {});
        expect(blocked).toMatchObject({ action: "blocked", rule: "attempts-spent", task: { status: "blocked" } });
        expect(blocked.reason).toMatch(/^3 attempts did not reach it/);
        expect(blocked.goal?.status).toBe("blocked");
        // The owner takes it up again: the earlier attempts do not count any more.
        await run("task retry", { task: id });
        expect(await run("cycle", {})).toMatchObject({ action: "execute", outcome: "failed" });
      },
    ));

  it("blocks a task that lacks a credential, and names what the owner must do", () =>
    withCycles(
      kind,
      { script: [{ text: 'No key.\n[BLOCKED]{"reason": "the key of the shop is missing", "needs": "credential"}' }] },
      async ({ run, goal, task }) => {
        const id = await task(await goal("ship"), "Upload", { file: "a.txt" });
        const ended = await run("cycle", {});
        expect(ended).toMatchObject({
          outcome: "blocked",
          task: { id, status: "blocked" },
          goal: { status: "blocked" },
        });
        const { operatorActions } = await run("goal list", {});
        expect(operatorActions).toEqual([expect.stringContaining("the key of the shop is missing")]);
        expect((await run("status", {})).operatorActions).toEqual(operatorActions);
      },
    ));

  it("answers comments, and keeps what was learned for the goal alone", () => {
    let comment = "";
    const last = () => ({
      text: `Done.\n[ANSWER]{"comment": "${comment}", "text": "Plain text."}\n[MEMORY]{"content": "The shop sells tea.", "category": "domain_knowledge"}`,
    });
    const script = (_request: unknown, at: number) => (at === 0 ? writes("a.txt", "a") : last());
    return withCycles(kind, { script }, async ({ run, goal, task, mind }) => {
      const id = await goal("ship");
      const done = await task(id, "Write a", { file: "a.txt" });
      comment = (await run("comment", { goal: id, text: "Which format?", kind: "question" })).id;
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
      expect((await run("comment list", {})).comments).toMatchObject([{ answer: "Plain text." }]);
      expect(await listMemories(mind.db)).toMatchObject([
        {
          ...{ text: "The shop sells tea.", kind: "learning", category: "domain_knowledge", confidence: 0.5 },
          ...{ origin: "agent", scope: { kind: "goal", name: id }, tags: [done] },
        },
      ]);
    });
  });

  it("leaves a question open that was not answered, and reads a direction", () =>
    withCycles(kind, { script: [writes("a.txt", "a"), reports("Done.")] }, async ({ run, goal, task, asked }) => {
      const id = await goal("ship");
      await task(id, "Write a", { file: "a.txt" });
      await run("comment", { goal: id, text: "Keep it short.", kind: "direction" });
      await run("comment", { goal: id, text: "Which format?", kind: "question" });
      await run("cycle", {});
      expect(asked(0)).toContain("Keep it short.");
      const { comments } = await run("comment list", { open: true });
      expect(comments.map(({ text }) => text)).toEqual(["Which format?"]);
    }));

  it("is alone: a second one at once does nothing and says who is at work", () =>
    withCycles(kind, { script: [] }, async ({ run, goal, task, mind, clock }) => {
      await task(await goal("ship"), "Write a", { file: "a.txt" });
      await acquireLease(mind.db, CYCLE_LEASE, { owner: ownProcessRef(), now: clock.now(), ttlMs: HOUR });
      const second = await run("cycle", {});
      expect(second).toMatchObject({
        cycle: null,
        outcome: null,
        reason: expect.stringContaining("another cycle is running: process"),
      });
      expect(await listTaskAttempts(mind.db)).toEqual([]);
    }));

  it("does not touch uncommitted work of the owner, and begins at the owner's new commits", () =>
    withCycles(
      kind,
      { script: [writes("a.txt", "a"), reports("A."), writes("b.txt", "b"), reports("B.")] },
      async ({ run, goal, task, write, git, folder }) => {
        const id = await goal("ship");
        await task(id, "Write a", { file: "a.txt" });
        write({ "README.md": "# Half a sentence", "draft.txt": "mine" });
        expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
        expect([readIn(folder, "README.md"), readIn(folder, "draft.txt")]).toEqual(["# Half a sentence", "mine"]);
        git("add", "draft.txt");
        git("commit", "--quiet", "--message", "draft");
        await task(id, "Write b", { file: "b.txt" });
        expect(await run("cycle", {})).toMatchObject({ outcome: "verified" });
        expect(git("ls-tree", "--name-only", `oldhand/${id}`).split("\n")).toEqual([
          "README.md",
          "a.txt",
          "b.txt",
          "draft.txt",
        ]);
        expect(readIn(folder, "README.md")).toBe("# Half a sentence");
      },
    ));

  it("commits no file with a secret, and says so", () =>
    withCycles(
      kind,
      {
        script: [
          writes("a.txt", "a"),
          writes("notes.txt", `token ghp_${"16C7e42F292c6912E7710c838347Ae178B4a"}\n`),
          reports("Done."),
        ],
      },
      async ({ run, goal, task, git }) => {
        const id = await goal("ship");
        await task(id, "Write a", { file: "a.txt" });
        const ended = await run("cycle", {});
        expect(ended).toMatchObject({ outcome: "verified", problems: [expect.stringContaining("notes.txt")] });
        expect(git("ls-tree", "--name-only", `oldhand/${id}`).split("\n")).toEqual(["README.md", "a.txt"]);
      },
    ));

  it("sends a plan back once that cannot be used, and fails then", () =>
    withCycles(
      kind,
      { script: [{ text: "I would begin." }, plans("a.txt", "b.txt"), plans("a.txt", "b.txt", "c.txt")] },
      async ({ run, goal, asked }) => {
        const id = await goal("ship");
        const failed = await run("cycle", {});
        expect(failed).toMatchObject({ action: "decompose", outcome: "failed" });
        expect(asked(1)).toContain("it is not one JSON object");
        expect((await run("goal show", { goal: id })).tasks).toEqual([]);
        expect(await run("cycle", {})).toMatchObject({ outcome: "planned", goal: { tasks: { open: 3 } } });
      },
    ));

  it("blocks a goal that gets no plan in three attempts, says so, and goes on with the next goal", () => {
    const useless = { text: JSON.stringify({ tasks: [{ title: "Ship", check: { kind: "file", path: "a.txt" } }] }) };
    const script = [...Array.from({ length: 6 }, () => useless), writes("b.txt", "b"), reports("B."), useless, useless];
    return withCycles(kind, { script }, async ({ run, goal, task }) => {
      const first = await goal("ship", { priority: 1 });
      await task(await goal("later"), "Write b", { file: "b.txt" });
      for (let n = 0; n < 3; n++)
        expect(await run("cycle", {})).toMatchObject({
          ...{ action: "decompose", outcome: "failed", goal: { id: first, status: "active" } },
          reason: "the plan has 1 task; 3 to 8 are needed",
        });
      const reason = `no plan in 3 attempts: the plan has 1 task; 3 to 8 are needed; add tasks with oldhand task add ${first}`;
      expect(await run("cycle", { dryRun: true })).toMatchObject({ action: "blocked", goal: { id: first }, reason });
      expect(await run("cycle", {})).toMatchObject({ outcome: "blocked", goal: { status: "blocked", reason } });
      expect((await run("status", {})).operatorActions).toEqual([`"ship" is blocked: ${reason}`]);
      expect((await run("letter", {})).blocked).toMatchObject([{ id: first, why: reason }]);
      expect((await run("snapshot show", {})).snapshot?.content).toContain(`In the way: ship: ${reason}`);
      expect(await run("cycle", {})).toMatchObject({ outcome: "verified", task: { title: "Write b" } });
      // Taken up again, it has three attempts more; a task of the owner's takes it up too.
      await run("goal resume", { goal: first });
      expect(await run("cycle", {})).toMatchObject({ action: "decompose", outcome: "failed" });
      await task(first, "Write a", { file: "a.txt" });
      expect(await run("cycle", { dryRun: true })).toMatchObject({ action: "execute", goal: { id: first } });
    });
  });

  it("shows with --dry-run what it would do, and writes nothing", () =>
    withCycles(kind, { script: [] }, async ({ run, goal, task, mind, home, model }) => {
      const id = await task(await goal("ship"), "Write a", { file: "a.txt" });
      const before = readdirSync(home).toSorted();
      const shown = await run("cycle", { dryRun: true });
      expect(shown).toMatchObject({
        ...{ cycle: null, action: "execute", rule: "next-task", tier: "execute", outcome: null },
        ...{ model: "anthropic/claude-sonnet-4-5", task: { id } },
        place: { folder: join(home, "worktrees", `${id}-1`), branch: `oldhand/${id}-1` },
      });
      expect(readdirSync(home).toSorted()).toEqual(before);
      expect(await listTaskAttempts(mind.db)).toEqual([]);
      expect(model.requests).toHaveLength(0);
    }));

  it.skipIf(skipWithoutSandbox)(
    "lets the agent run commands in its worktree, also by its whole path, and hides the rest of the home",
    () =>
      withCycles(
        kind,
        {
          script: (request, at) => {
            const folder = /Working folder: (\S+?)\\nFolders/.exec(JSON.stringify(request.body))?.[1] ?? "";
            const commands = [
              `cd ${folder} && echo made > ${folder}/a.txt && git log --format=%s`,
              // What the text does not tell, the sandbox keeps.
              "up=..; ls $up; cat $up/$up/config.json; touch $up/other || echo not made",
              `cat ${folder}/../../config.json`,
              "echo x > AGENTS.md; ls",
            ];
            const command = commands[at];
            return command === undefined ? reports("Done.") : { calls: [{ tool: "shell", input: { command } }] };
          },
        },
        async ({ run, goal, task, asked, home, git }) => {
          mkdirSync(join(home, "worktrees", "of-another-task"), { recursive: true });
          const id = await goal("ship");
          await task(id, "Write a", { file: "a.txt", contains: "made" });
          const ended = await run("cycle", {});
          const results = asked(-1).split('"tool_result"').slice(1).join("\n").slice(0, 4_000);
          expect(ended, results).toMatchObject({ outcome: "verified" });
          expect(asked(1)).toContain("begin");
          const peeked = asked(2).split('"tool_result"').at(-1) ?? "";
          expect(peeked).toContain("not made");
          expect(peeked).toContain("No such file");
          expect(peeked).not.toContain("of-another-task");
          expect(peeked).not.toContain("exploreShare");
          expect(asked(3)).toContain("could touch oldhand's own files");
          expect(git("ls-tree", "--name-only", `oldhand/${id}`).split("\n")).not.toContain("AGENTS.md");
          expect(readdirSync(join(home, "worktrees"))).not.toContain("other");
        },
      ),
  );
});
