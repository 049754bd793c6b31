import { describe, expect, it } from "vitest";
import { owner } from "../../src/domain/actor.ts";
import { noProviders } from "../../src/domain/model/endpoint.ts";
import { defaultPolicy } from "../../src/domain/policy.ts";
import type { NewEvent } from "../../src/domain/event/event.ts";
import type { Config } from "../../src/config.ts";
import { makeReport, type ReportOptions } from "../../src/distil/report/report.ts";
import { DAY, fixedClock, MINUTE } from "../../src/lib/clock.ts";
import type { Db } from "../../src/store/engine/db.ts";
import { digest } from "../../src/store/derived/digest.ts";
import { appendEvents } from "../../src/store/events/events.ts";
import { stores, withStore } from "../stores.ts";
import { aFailure, anEvent } from "./samples.ts";
import { quiet } from "../context.ts";

describe.each(stores)("the report on $name", (kind) => {
  const config: Config = {
    home: "/nowhere",
    database: "",
    off: { everywhere: false, workspaces: [] },
    policy: defaultPolicy,
    providers: noProviders,
  };
  const reportOf = async (db: Db, options: Partial<ReportOptions> = {}) => {
    await digest(db);
    return makeReport({ db, config, clock: fixedClock(400 * DAY), actor: owner, ...quiet }, { limit: 10, ...options });
  };

  it("ranks repeated mistakes by what they cost, not by how often they came", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        ...[1, 2, 3].map((n) => aFailure(`often${n}`, "often", { session: `o${n}`, durationMs: 0 })),
        ...[1, 2].flatMap((n) => dear(`d${n}`)),
      ]);
      const { mistakes, totals } = await reportOf(db);
      expect(mistakes.map((one) => [one.signature, one.count, one.cost.calls])).toEqual([
        ["dear", 2, 8],
        ["often", 3, 3],
      ]);
      expect(totals).toEqual({ sessions: 5, events: 13, failures: 5, repeated: 2 });
    }));

  it("counts the failing call and the calls, minutes and tokens until its recovery", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [...dear("d1"), ...dear("d2")]);
      const [mistake] = (await reportOf(db)).mistakes;
      const lost = JSON.stringify({ command: "make dear" }).length + "it broke".length;
      const between = 3 * JSON.stringify({ command: "ls" }).length;
      expect(mistake?.cost).toEqual({ calls: 8, minutes: 8, tokens: Math.round((2 * (lost + between)) / 4) });
    }));

  it("shows three pieces of evidence, of different sessions where it can", () =>
    withStore(kind, async ({ db }) => {
      await appendEvents(db, [
        aFailure("a1", "x", { session: "a" }),
        aFailure("b1", "x", { session: "b" }),
        aFailure("b2", "x", { session: "b" }),
        aFailure("b3", "x", { session: "b" }),
        aFailure("c1", "y", { session: "c" }),
        aFailure("d1", "y", { session: "d" }),
        aFailure("e1", "y", { session: "e" }),
        aFailure("e2", "y", { session: "e" }),
      ]);
      const evidence = new Map(
        (await reportOf(db)).mistakes.map((one) => [one.signature, one.evidence.map((piece) => piece.ref.session)]),
      );
      expect(evidence.get("x")).toEqual(["b", "a", "b"]);
      expect(evidence.get("y")).toEqual(["e", "d", "c"]);
    }));

  it("tells the recovery that worked most often", () =>
    withStore(kind, async ({ db }) => {
      const tried = (session: string, remedy: string) => [
        aFailure(`${session}1`, "x", { session, input: { command: "npm test" } }),
        anEvent(`${session}2`, { session, input: { command: remedy } }),
      ];
      await appendEvents(db, [
        ...tried("a", "npm test -- --run"),
        ...tried("b", "npm test -- --run"),
        ...tried("c", "CI=1 npm test"),
      ]);
      expect((await reportOf(db)).mistakes[0]?.recovery).toEqual({
        summary: "npm test -- --run",
        times: 2,
        different: 1,
      });
    }));

  it("tells of an edit what came before it worked", () =>
    withStore(kind, async ({ db }) => {
      const edit = { tool: "Edit", head: null, input: { file_path: "/a.ts", old_string: "x" } };
      for (const session of ["a", "b"]) {
        await appendEvents(db, [
          aFailure(`${session}1`, "x", { session, ...edit }),
          anEvent(`${session}2`, { session, tool: "Read", head: null, input: { file_path: "/a.ts" } }),
          anEvent(`${session}3`, { session, ...edit }),
        ]);
      }
      expect((await reportOf(db)).mistakes[0]?.recovery).toEqual({
        summary: "Read, then Edit",
        times: 2,
        different: 1,
      });
    }));

  it("leaves out what came in one session only, what is benign, and what the filters exclude", () =>
    withStore(kind, async ({ db }) => {
      const at = (session: string, time: number, workspace: string) =>
        aFailure(`${session}${time}`, "x", { session, at: time, workspace });
      await appendEvents(db, [
        aFailure("1", "once", { session: "a" }),
        aFailure("2", "once", { session: "a" }),
        aFailure("3", "benign", { session: "a", benign: true }),
        aFailure("4", "benign", { session: "b", benign: true }),
        at("a", 1_000, "/w1"),
        at("b", 2_000, "/w1"),
        at("c", 3_000, "/w2"),
        at("d", 4_000, "/w2"),
      ]);
      const counts = async (options: Partial<ReportOptions>) =>
        (await reportOf(db, options)).mistakes.map((one) => [one.signature, one.count, one.workspaces]);
      expect(await counts({})).toEqual([["x", 4, ["/w1", "/w2"]]]);
      expect(await counts({ workspace: "/w1" })).toEqual([["x", 2, ["/w1"]]]);
      expect(await counts({ since: 3_000 })).toEqual([["x", 2, ["/w2"]]]);
      expect(await counts({ since: 4_000 })).toEqual([]);
      expect(await counts({ limit: 1, workspace: "/none" })).toEqual([]);
    }));
});

/** A failure, three calls spent on it, and the one that works, a minute apart. */
function dear(session: string): NewEvent[] {
  const head = "make dear";
  return [
    aFailure(`${session}-0`, "dear", { session, at: 0, head, input: { command: head }, durationMs: 0 }),
    ...[1, 2, 3].map((n) =>
      anEvent(`${session}-${n}`, { session, at: n * MINUTE, head: "ls", input: { command: "ls" }, durationMs: 0 }),
    ),
    anEvent(`${session}-4`, { session, at: 4 * MINUTE, head, input: { command: "make dear -k" } }),
  ];
}
