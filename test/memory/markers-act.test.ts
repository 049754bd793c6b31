import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { attendPayload } from "../../src/attend/attend.ts";
import type { Context } from "../../src/context.ts";
import { agentOf, owner } from "../../src/domain/actor.ts";
import { invoke } from "../../src/invoke.ts";
import { DAY, fixedClock } from "../../src/lib/clock.ts";
import { openContext } from "../../src/mind.ts";
import { findHost } from "../../src/observe/hosts/list.ts";
import { operationNamed, type OperationMap } from "../../src/operations.ts";
import { addGoal } from "../../src/record/goals/goals.ts";
import { addTask } from "../../src/record/goals/tasks.ts";
import { actOnMarkers } from "../../src/record/markers/act-on-markers.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { insertCycle, updateOpenCycle } from "../../src/store/goals/cycles.ts";
import { listExecutionEntries } from "../../src/store/goals/execution-log.ts";
import { findDisagreements } from "../../src/store/journal/journal.ts";
import { listMistakes, listWins } from "../../src/store/nouns/ledger.ts";
import { listTasks } from "../../src/store/nouns/tasks.ts";
import { listTurns } from "../../src/store/sessions/working-memory.ts";
import { anEvent } from "../store/samples.ts";
import { stores } from "../stores.ts";

const NOW = Date.parse("2026-11-16T09:30:00Z");
const SHOP = "/home/me/shop";

const win = '[WIN]{"what":"ran one test first","why":"it failed in a second","pattern":"small-steps"}';
const mistake = (signal: string) =>
  `[MISTAKE]${JSON.stringify({
    ...{ what: "shipped a broken build", why: "trusted an old run", should_have: "run the tests again" },
    ...{ pattern: "not-verifying", severity: "high", signal },
  })}`;

describe.each(stores)("what agents mark in their answers, on $name", (kind) => {
  const inMind = async (act: (mind: Context, clock: ReturnType<typeof fixedClock>) => Promise<void>) => {
    const home = mkdtempSync(join(tmpdir(), "oldhand-marked-"));
    const { database, remove } = await kind.migrated();
    const clock = fixedClock(NOW);
    const mind = await openContext({ home, database, clock, env: { OLDHAND_EMBEDDER: "none" } });
    try {
      await act(mind, clock);
    } finally {
      await mind.close();
      await remove();
      rmSync(home, { recursive: true, force: true });
    }
  };
  const run = async <Name extends keyof OperationMap>(mind: Context, name: Name, input: OperationMap[Name]["input"]) =>
    (await invoke(mind, operationNamed(name), input, "")) as OperationMap[Name]["output"];
  const goalOf = async (mind: Context, title = "ship") => (await run(mind, "goal add", { title })).goal.id;
  /** As the host's hook brings it. */
  const stopHook = async (mind: Context, said: string, session = "s1") => {
    const host = findHost("claude-code");
    if (host === undefined) throw new Error("no host");
    const payload = { hook_event_name: "Stop", session_id: session, cwd: SHOP, stop_hook_active: false };
    await attendPayload(mind, host, { ...payload, last_assistant_message: said });
  };
  const answer = async (mind: Context, text: string, more: Partial<Parameters<typeof anEvent>[1]> = {}) => {
    const said = { kind: "answer", tool: null, input: null, outcome: null, text, at: NOW, session: "s1" } as const;
    await appendEvents(mind.db, [anEvent(`e${text.length}${more.kind ?? ""}${more.uid ?? ""}`, { ...said, ...more })]);
  };

  it("goes from the host's hook into the ledger, the working memory, the log and the goal, once", () =>
    inMind(async (mind) => {
      const goal = await goalOf(mind);
      const said = [
        ...["Done.", win, mistake('the last run said "0 tests"'), '[STATE]{"key":"phase","value":"two"}'],
        ...['[JOURNAL]{"content":"A good day."}', `[TASK_ADD]{"goal":"${goal}","title":"Call Ada"}`],
      ].join("\n");
      await stopHook(mind, said);
      // The transcript brings the same answer again.
      await answer(mind, said, { host: "claude-code", workspace: SHOP });
      const { tasks } = await run(mind, "task list", {});
      expect(tasks).toMatchObject([
        { title: "Call Ada", status: "pending", createdBy: "claude-code s1", check: { kind: "person" } },
      ]);
      expect(await listWins(mind.db)).toMatchObject([{ pattern: "small-steps", origin: "agent", session: "s1" }]);
      expect(await listMistakes(mind.db)).toMatchObject([{ severity: "high", workspace: SHOP }]);
      expect((await listTurns(mind.db, "s1", NOW)).map(({ value }) => value)).toEqual(["phase: two"]);
      expect((await listExecutionEntries(mind.db)).filter(({ action }) => action === "journal")).toMatchObject([
        { summary: "A good day.", source: null },
      ]);
      expect(await actOnMarkers(mind)).toMatchObject({ wins: 0, mistakes: 0, tasks: 0, journal: 0, refused: 0 });
      expect(await findDisagreements(mind.db)).toEqual([]);
    }));

  it("acts for our own agent, whose answer and last words say the same, in the goal of its cycle", () =>
    inMind(async (mind) => {
      const goal = await goalOf(mind);
      const cycle = await insertCycle(mind.db, { id: "c1", beganAt: NOW - 1_000, worker: "w" });
      await updateOpenCycle(mind.db, { ...cycle, goal, session: "chat_1", step: "execute" });
      const said = 'I need a key. [TASK_ADD]{"title":"Get the key","person":"Is the key there?"}';
      await answer(mind, said, { host: "oldhand", session: "chat_1", uid: "answer:1" });
      await answer(mind, said, { host: "oldhand", session: "chat_1", kind: "stop", uid: "stop:1" });
      await actOnMarkers(mind);
      expect(await listTasks(mind.db)).toMatchObject([
        { goal, title: "Get the key", check: { asks: "Is the key there?" } },
      ]);
      expect(await listExecutionEntries(mind.db)).toMatchObject([{ cycle: "c1", goal, action: "marker" }]);
    }));

  it("has the rights of an agent: done is a claim, no check changes, only own tasks go, nothing of the owner's changes", () =>
    inMind(async (mind) => {
      const goal = await goalOf(mind);
      const of = (title: string, actor: Context["actor"]) =>
        addTask(
          { ...mind, actor },
          {
            ...{ goal, title, description: "", dependsOn: [], tier: "execute", metadata: {} },
            check: { kind: "person", asks: "?" },
          },
        );
      const { task: owners } = await of("of the owner", owner);
      const { task: own } = await of("of the agent", agentOf({ host: "claude-code", session: "s0" }));
      const { task: others } = await of("of another", agentOf({ host: "codex", session: "x" }));
      await stopHook(
        mind,
        [
          `[TASK_DONE]{"task":"${owners.id}","result":"called"}`,
          `[TASK_EDIT]{"task":"${own.id}","title":"better"}`,
          `[TASK_EDIT]{"task":"${own.id}","title":"x","check":"true"}`,
          `[TASK_EDIT]{"task":"${owners.id}","description":"easier"}`,
          `[TASK_REMOVE]{"task":"${others.id}"}`,
          `[TASK_REMOVE]{"task":"${owners.id}"}`,
        ].join("\n"),
      );
      expect(await actOnMarkers(mind)).toMatchObject({ tasks: 2, refused: 4 });
      const after = new Map((await listTasks(mind.db)).map((task) => [task.id, task]));
      expect(after.get(owners.id)).toMatchObject({ status: "done", proof: "claimed", description: "" });
      expect(after.get(own.id)).toMatchObject({ title: "better", check: own.check, checkHash: own.checkHash });
      expect(after.get(others.id)?.status).toBe("pending");
      await stopHook(mind, `[TASK_REMOVE]{"task":"better"}`, "s2");
      await actOnMarkers(mind);
      expect((await listTasks(mind.db)).find(({ id }) => id === own.id)?.status).toBe("dropped");
    }));

  it("adds nothing to a goal that has ended or is paused, and to none that is not named", () =>
    inMind(async (mind) => {
      const paused = await goalOf(mind, "later");
      await run(mind, "goal pause", { goal: paused });
      const { goal: proposed } = await addGoal(
        { ...mind, actor: agentOf({ host: "codex", session: null }) },
        { title: "tidy", description: "", priority: 5, parent: null, dependsOn: [], folder: null, metadata: {} },
      );
      await stopHook(
        mind,
        `[TASK_ADD]{"goal":"later","title":"one"} [TASK_ADD]{"title":"two"} [TASK_ADD]{"goal":"tidy","title":"three"}`,
      );
      expect(await actOnMarkers(mind)).toMatchObject({ tasks: 1, refused: 2 });
      expect(await listTasks(mind.db)).toMatchObject([{ title: "three", goal: proposed.id }]);
    }));

  it("that is refused is told to the agent once, with what would be good", () =>
    inMind(async (mind, clock) => {
      await stopHook(mind, mistake("not verifying"));
      await run(mind, "ledger list", {});
      expect(await listMistakes(mind.db)).toEqual([]);
      const { messages } = await run(mind, "message list", {});
      expect(messages).toMatchObject([
        { to: expect.stringMatching(/\/claude-code$/), text: expect.stringMatching(/not a signal.*such as/is) },
      ]);
      expect(await listExecutionEntries(mind.db)).toMatchObject([
        { action: "refused", summary: expect.stringContaining("MISTAKE of claude-code did nothing") },
      ]);
      // Nobody waits for an answer about what was said long ago.
      clock.advance(3 * DAY);
      await answer(mind, "[WIN]{}", { host: "claude-code" });
      expect(await actOnMarkers(mind)).toMatchObject({ refused: 1 });
      expect((await run(mind, "message list", {})).messages).toHaveLength(1);
    }));

  it("does nothing if a tool printed it, if it is quoted or code, or if another product's log says it", () =>
    inMind(async (mind) => {
      const goal = await goalOf(mind);
      const add = (title: string) => `[TASK_ADD]{"goal":"${goal}","title":"${title}"}`;
      await answer(mind, add("printed"), { kind: "call", tool: "Bash" });
      await answer(mind, add("typed by a person"), { kind: "prompt" });
      await answer(
        mind,
        `The page says:\n> ${add("quoted")}\n\`\`\`\n${add("code")}\n\`\`\`\nand \`${add("inline")}\``,
      );
      await answer(mind, `<<<oldhand abc\nRecalled data\n[1] memory:\n| ${add("recalled")}\noldhand abc>>>`);
      await answer(mind, add("imported"), { host: "living-board", uid: "living-board:1" });
      expect(await actOnMarkers(mind)).toMatchObject({ tasks: 0, refused: 0 });
      expect(await listTasks(mind.db)).toEqual([]);
    }));
});
