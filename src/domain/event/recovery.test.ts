import { describe, expect, it } from "vitest";
import { MINUTE } from "../../lib/clock.ts";
import { findMainCommand } from "../shell/command.ts";
import { type SessionCall, normalisePurpose, pairRecoveries } from "./recovery.ts";

describe("a recovery", () => {
  it("is a different command with the same head that works soon after", () => {
    const [one] = pairRecoveries([failed(1, "npm test"), ok(2, "cat package.json"), ok(3, "npm test -- --run")]);
    expect(one).toMatchObject({ failure: 1, recovery: 3, apart: 2, calls: 1, ms: 2_000 });
  });

  it("is the first that qualifies", () => {
    const found = pairRecoveries([failed(1, "git push"), ok(2, "git push -u origin x"), ok(3, "git push -f origin x")]);
    expect(found.map((one) => one.recovery)).toEqual([2]);
  });

  it("is not the same command again, however it is spaced", () => {
    expect(pairRecoveries([failed(1, "npm  test"), ok(2, "npm test")])).toEqual([]);
  });

  it("is not another subcommand of the same program", () => {
    expect(pairRecoveries([failed(1, "git push"), ok(2, "git status")])).toEqual([]);
  });

  it("is not a failure, nor something that never ran", () => {
    const denied = { ...ok(2, "npm test -- --run"), outcome: "denied" } as const;
    expect(pairRecoveries([failed(1, "npm test"), denied, failed(3, "npm test -- -x")])).toEqual([]);
  });

  it("does not follow from a benign failure: a red test is work", () => {
    expect(pairRecoveries([{ ...failed(1, "npm test"), benign: true }, ok(2, "npm test -- --run")])).toEqual([]);
  });

  it("is not a question about the program", () => {
    expect(pairRecoveries([failed(1, "pytest -x"), ok(2, "pytest --version"), ok(3, "pytest --help | head")])).toEqual(
      [],
    );
  });

  it("also counts when only the folder changed", () => {
    expect(pairRecoveries([failed(1, "npm test"), ok(2, "cd web && npm test")])).toHaveLength(1);
  });

  it("comes within twenty calls or not at all", () => {
    const between = (count: number) => Array.from({ length: count }, (_, i) => ok(i + 2, "ls"));
    expect(pairRecoveries([failed(1, "make x"), ...between(19), ok(99, "make x -j")])).toHaveLength(1);
    expect(pairRecoveries([failed(1, "make x"), ...between(20), ok(99, "make x -j")])).toEqual([]);
  });

  it("of several failures in a row costs each call once", () => {
    const found = pairRecoveries([
      failed(1, "npm test"),
      ok(2, "ls"),
      failed(3, "npm test -- -x"),
      ok(4, "ls"),
      ok(5, "ls"),
      ok(6, "npm test -- --run"),
    ]);
    expect(found.map(({ failure, recovery, calls, ms }) => ({ failure, recovery, calls, ms }))).toEqual([
      { failure: 1, recovery: 6, calls: 1, ms: 2_000 },
      { failure: 3, recovery: 6, calls: 2, ms: 3_000 },
    ]);
  });

  it("counts no time in which nobody was there", () => {
    const late = { ...ok(2, "npm test -- --run"), at: 1_000 + 300 * MINUTE };
    expect(pairRecoveries([failed(1, "npm test"), late])[0]?.ms).toBe(10 * MINUTE);
  });

  it("of an edit is an edit of the same file, and tells what came between", () => {
    const edit = (id: number, outcome: SessionCall["outcome"], file = "/a.ts") =>
      call(id, { tool: "Edit", head: null, input: { file_path: file, old_string: "x" }, outcome });
    const read = call(2, { tool: "Read", head: null, input: { file_path: "/a.ts" } });
    expect(pairRecoveries([edit(1, "failed"), read, edit(3, "ok")])[0]).toMatchObject({ recovery: 3, through: "Read" });
    expect(pairRecoveries([edit(1, "failed"), edit(3, "ok", "/b.ts")])).toEqual([]);
    expect(pairRecoveries([edit(1, "failed"), edit(2, "ok")])[0]).toMatchObject({ recovery: 2, through: null });
  });

  it("knows the file of a patch", () => {
    const patch = (id: number, outcome: SessionCall["outcome"]) =>
      call(id, { tool: "apply_patch", head: null, input: "*** Begin Patch\n*** Update File: a.rs\n@@", outcome });
    expect(pairRecoveries([patch(1, "failed"), patch(2, "ok")])).toHaveLength(1);
  });
});

describe("what a command is for", () => {
  it.each([
    ["npm test", "pnpm test"],
    ["npm test", "yarn run test"],
    ["npm run build", "bun run build"],
    ["npm ci", "pnpm install"],
    ["python -m pytest", "uv run pytest"],
    ["python3.12", "python"],
    ["pip3 install x", "python3 -m pip install x"],
    ["npx vitest", "pnpm exec vitest"],
    ["docker-compose up", "docker compose up"],
    ["rg foo", "grep foo"],
  ])("%s and %s want the same", (a, b) => {
    expect(normalisePurpose(headOf(a))).toBe(normalisePurpose(headOf(b)));
  });

  it.each([
    ["npm test", "npm run build"],
    ["git push", "git pull"],
    ["python a.py", "pytest"],
    ["docker build", "docker run"],
  ])("%s and %s do not", (a, b) => {
    expect(normalisePurpose(headOf(a))).not.toBe(normalisePurpose(headOf(b)));
  });
});

function headOf(command: string): string {
  return findMainCommand(command)?.head ?? "";
}

function call(id: number, over: Partial<SessionCall>): SessionCall {
  return {
    id,
    at: id * 1_000,
    tool: "Bash",
    head: null,
    input: null,
    outcome: "ok",
    benign: false,
    error: null,
    text: null,
    durationMs: 10,
    ...over,
  };
}

function ok(id: number, command: string): SessionCall {
  return call(id, { head: headOf(command), input: { command } });
}

function failed(id: number, command: string): SessionCall {
  return { ...ok(id, command), outcome: "failed", error: "it broke" };
}
