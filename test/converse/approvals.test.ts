import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import {
  answerApproval,
  awaitApproval,
  decideToolCall,
  type CallDecision,
} from "../../src/converse/approvals/decide-call.ts";
import { editTool } from "../../src/converse/tools/files/edit.ts";
import { writeTool } from "../../src/converse/tools/files/write.ts";
import type { AgentTool, ToolContext } from "../../src/converse/tools/tool.ts";
import { owner } from "../../src/domain/actor.ts";
import type { Approval } from "../../src/domain/approval/approval.ts";
import { invoke } from "../../src/invoke.ts";
import { fixedClock, MINUTE } from "../../src/lib/clock.ts";
import { operationNamed } from "../../src/operations.ts";
import { getApproval, listApprovals, revokeApproval } from "../../src/store/chat/approvals.ts";
import { openStore } from "../../src/store/open.ts";
import { quiet } from "../context.ts";
import { stores } from "../stores.ts";
import { newToolPlace, type ToolPlace } from "./tool-context.ts";

const post: AgentTool = {
  name: "post",
  description: "Posts a text.",
  input: z.object({ to: z.string() }),
  effect: "external",
  isCheap: false,
  describeAction: ({ to }) => `post ${String(to)}`,
  summarise: ({ to }) => `post to ${String(to)}`,
  examine: async (_ctx, { to }) => ({ place: "inside", target: String(to) }),
  preview: async () => `the whole\u001b[2J text with ${["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("")}`,
  run: async () => ({ ok: true, text: "posted" }),
};

describe.each(stores)("approvals on $name", (store) => {
  let place: ToolPlace;
  const clock = fixedClock(Date.UTC(2026, 0, 10));
  beforeEach(async () => {
    place = await newToolPlace({ store, clock });
  });
  afterEach(() => place.remove());
  const ctx = () => ({ db: place.db, config: place.config, clock });
  const decide = (to: string, over: Partial<ToolContext> & { hasPerson?: boolean } = {}): Promise<CallDecision> =>
    decideToolCall(ctx(), { tool: post, input: { to }, tools: place.tools(over), hasPerson: over.hasPerson ?? true });
  const ask = async (to: string, over: Partial<ToolContext> = {}): Promise<Approval> => {
    const decision = await decide(to, over);
    if (decision.kind !== "ask") throw new Error(decision.kind);
    return decision.approval;
  };

  it("records the question with summary, detail and reason, without secrets and without terminal controls", async () => {
    const { id } = await ask("example.org");
    const stored = await getApproval(place.db, id);
    expect(stored).toMatchObject({
      ...{ action: "post example.org", effect: "external", summary: "post to example.org", status: "waiting" },
      ...{ reason: "It contacts example.org, outside this machine.", session: "s1", workspace: place.workspace },
      until: clock.now() + 60 * MINUTE,
    });
    expect(stored?.detail).toMatch(/^the whole\\u\{1b\}\[2J text with \[redacted:/);
  });

  it("has every line of what would be done, however long it is", async () => {
    const lines = Array.from({ length: 6_000 }, (_, at) => `this is the line ${at + 1} of a long file`);
    const input = { file_path: "long.txt", content: lines.join("\n") };
    const decision = await decideToolCall(ctx(), { tool: writeTool, input, tools: place.tools(), hasPerson: true });
    if (decision.kind !== "ask") throw new Error(decision.kind);
    const stored = await getApproval(place.db, decision.approval.id);
    const shown = new Set(stored?.detail.split("\n"));
    expect(lines.filter((line) => !shown.has(`+${line}`))).toEqual([]);
  });

  it("shows the diff of a file with secrets too, without the secrets", async () => {
    const key = ["ghp_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].join("");
    writeFileSync(join(place.workspace, ".env"), `PORT=1\nTOKEN=${key}\n`);
    const detailOf = async (tool: AgentTool, input: object) => {
      const decision = await decideToolCall(ctx(), { tool, input, tools: place.tools(), hasPerson: true });
      if (decision.kind !== "ask") throw new Error(decision.kind);
      return decision.approval.detail;
    };
    const written = await detailOf(writeTool as never, { file_path: ".env", content: `PORT=2\nTOKEN=${key}\n` });
    for (const line of ["-PORT=1", "+PORT=2"]) expect(written.split("\n")).toContain(line);
    expect(written).not.toContain(key);
    expect(written).not.toContain("cannot be compared");
    const edited = await detailOf(editTool as never, { file_path: ".env", old_string: "PORT=1", new_string: "PORT=3" });
    for (const line of ["-PORT=1", "+PORT=3"]) expect(edited.split("\n")).toContain(line);
  });

  it("asks about a file that is in every later prompt, also in the mode edit", async () => {
    const input = { file_path: "AGENTS.md", content: "Use tabs.\n" };
    const decision = await decideToolCall(ctx(), {
      tool: writeTool,
      input,
      tools: place.tools({ mode: "edit" }),
      hasPerson: true,
    });
    expect(decision).toMatchObject({
      kind: "ask",
      approval: { reason: "AGENTS.md is in the prompt of later sessions, of this agent and of others." },
    });
  });

  it("is not asked about what is too long to be shown as a whole: it is refused", async () => {
    const long: AgentTool = { ...post, preview: async () => "x".repeat(5_000_000) };
    const input = { to: "example.org" };
    const decision = await decideToolCall(ctx(), { tool: long, input, tools: place.tools(), hasPerson: true });
    expect(decision).toMatchObject({
      kind: "refuse",
      forPerson:
        "It is too long to be shown as a whole, so nobody is asked about it. The model can do it in smaller steps.",
    });
  });

  it("is not asked about an edit that cannot work: the call fails, with a text for the person", async () => {
    writeFileSync(join(place.workspace, "a.txt"), "one\ntwo\n");
    const decideEdit = (file_path: string, old_string: string) => {
      const input = { file_path, old_string, new_string: "three" };
      return decideToolCall(ctx(), { tool: editTool, input, tools: place.tools(), hasPerson: true });
    };
    expect(await decideEdit("a.txt", "four")).toMatchObject({
      kind: "fail",
      result: {
        ok: false,
        text: expect.stringContaining("read the file again"),
        forPerson: "The text to be replaced is not in a.txt. Nothing was changed.",
      },
    });
    expect(await decideEdit("none.txt", "four")).toMatchObject({ kind: "fail", result: { ok: false } });
    expect(await listApprovals(place.db, { statuses: ["waiting", "rejected"], limit: 10 })).toEqual([]);
    expect((await decideEdit("a.txt", "two")).kind).toBe("ask");
    // What is in a protected file is not told before the yes.
    writeFileSync(join(place.workspace, ".env"), "KEY=1\n");
    expect((await decideEdit(".env", "four")).kind).toBe("ask");
  });

  it("lets one call pass with a yes to it, once", async () => {
    const { id } = await ask("example.org");
    await answerApproval(ctx(), id, { yes: true, by: owner });
    const signal = new AbortController().signal;
    expect(await awaitApproval(ctx(), id, signal)).toMatchObject({
      status: "approved",
      reach: "once",
      answeredBy: "owner",
    });
    expect(await awaitApproval(ctx(), id, signal)).toMatchObject({ status: "expired" });
    expect((await decide("example.org")).kind).toBe("ask");
  });

  it("reaches a turn that waits, from another process's answer", async () => {
    const { id } = await ask("example.org");
    const waiting = awaitApproval(ctx(), id, new AbortController().signal);
    const other = await openStore({ database: place.config.database, busyMs: 10_000 });
    await answerApproval({ db: other.db, clock }, id, { yes: false, by: owner });
    await other.close();
    expect(await waiting).toMatchObject({ status: "rejected" });
  });

  it("covers equal actions of the session, or of the workspace from now on, and nothing else", async () => {
    await answerApproval(ctx(), (await ask("a.org")).id, { yes: true, reach: "session", by: owner });
    expect(await decide("a.org")).toEqual({ kind: "run", approval: "session" });
    expect((await decide("a.org", { session: "s2" })).kind).toBe("ask");
    expect((await decide("a.org", { mode: "unattended" })).kind).toBe("refuse");
    const { id } = await ask("b.org");
    await answerApproval(ctx(), id, { yes: true, reach: "always", by: owner });
    expect(await decide("b.org", { session: "s2", mode: "unattended" })).toEqual({ kind: "run", approval: "always" });
    expect((await decide("b.org", { workspace: place.outside })).kind).toBe("ask");
    expect((await decide("b.org.evil.example")).kind).toBe("ask");
    expect(await revokeApproval(place.db, id)).toBe(true);
    expect((await decide("b.org", { mode: "unattended" })).kind).toBe("refuse");
  });

  it("expires, which counts as no, and cannot be answered then", async () => {
    const { id } = await ask("example.org");
    clock.advance(60 * MINUTE);
    await expect(answerApproval(ctx(), id, { yes: true, by: owner })).rejects.toThrow(
      "is expired and cannot be answered",
    );
    expect(await awaitApproval(ctx(), id, new AbortController().signal)).toMatchObject({ status: "expired" });
  });

  it("expires at once when the turn is stopped", async () => {
    const { id } = await ask("example.org");
    const stop = new AbortController();
    const waiting = awaitApproval(ctx(), id, stop.signal);
    stop.abort();
    expect(await waiting).toMatchObject({ status: "expired" });
    await expect(answerApproval(ctx(), id, { yes: true, by: owner })).rejects.toThrow("expired");
  });

  it("is answered by no agent and only once", async () => {
    const { id } = await ask("example.org");
    const agent = { kind: "agent", name: "oldhand s1" } as const;
    await expect(answerApproval(ctx(), id, { yes: true, by: agent })).rejects.toThrow(
      "only the owner answers approvals",
    );
    for (const kind of ["hook", "tool", "external"] as const)
      await expect(answerApproval(ctx(), id, { yes: true, by: { kind } })).rejects.toThrow("only the owner");
    await answerApproval(ctx(), id, { yes: false, by: owner });
    await expect(answerApproval(ctx(), id, { yes: true, by: owner })).rejects.toThrow(
      "is rejected and cannot be answered",
    );
  });

  it("records what was refused without a question", async () => {
    const decision = await decide("example.org", { mode: "read-only" });
    expect(decision).toMatchObject({ kind: "refuse", reason: expect.stringContaining("the mode is read-only") });
    expect(await listApprovals(place.db, { statuses: ["rejected"], limit: 10 })).toMatchObject([
      { action: "post example.org", answeredBy: "mode read-only" },
    ]);
  });

  it("does not take two long actions for one because they begin and end alike", async () => {
    const long = (middle: string) => `a.org/${"x".repeat(2_000)}${middle}${"x".repeat(2_000)}`;
    await answerApproval(ctx(), (await ask(long("1"))).id, { yes: true, reach: "always", by: owner });
    expect((await decide(long("1"))).kind).toBe("run");
    expect((await decide(long("2"))).kind).toBe("ask");
  });

  it("are listed and answered by operations, for the owner alone", async () => {
    const { id } = await ask("example.org");
    const mind = { ...quiet, ...ctx(), store: undefined as never };
    const agent = { ...mind, actor: { kind: "agent", name: "codex" } as const };
    for (const name of ["approvals list", "approvals approve", "approvals reject", "approvals revoke"] as const)
      await expect(invoke(agent, operationNamed(name), { id }, ""), name).rejects.toThrow(
        "only the owner may run this command",
      );
    const asOwner = { ...mind, actor: owner };
    const list = operationNamed("approvals list");
    const shown = await invoke(asOwner, list, {}, "");
    expect(shown.approvals).toMatchObject([{ id, status: "waiting" }]);
    expect(list.render(shown, {})).toContain("why: It contacts example.org, outside this machine.");
    const reach = "always" as const;
    await invoke(asOwner, operationNamed("approvals approve"), { id: id.slice(0, -1), reach }, "");
    expect((await decide("example.org")).kind).toBe("run");
    expect((await invoke(asOwner, list, {}, "")).approvals).toMatchObject([{ id, isStanding: true }]);
    await invoke(asOwner, operationNamed("approvals revoke"), { id }, "");
    expect((await decide("example.org")).kind).toBe("ask");
    await expect(invoke(asOwner, operationNamed("approvals revoke"), { id }, "")).rejects.toThrow(
      "does not hold for later calls",
    );
  });
});
