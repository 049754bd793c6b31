import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { DrivenHost, Driver } from "../driven.ts";
import type { SessionRecord } from "../lab.ts";
import { storedEvents } from "../stored-events.ts";
import { listRequests, count, read, resultsOf, startBlock, wire } from "../wire.ts";
import { countCalls, filesAt, type Played } from "./session.ts";
import { ADVICE, FAILING, failing, type HostContract, LAST, PROMPT, type Skip, WORKING, working } from "./terms.ts";

export function itWorksAsBefore(contract: HostContract, played: Played): void {
  const { mcp, stdout = /I give up\./, leavesNoProcess } = contract;

  ask("has oldhand among its MCP servers", mcp, (shown) => {
    expect(JSON.stringify(played.session.requests.map((one) => one.body))).toContain(shown);
  });

  it("works as without oldhand, and says nothing about it", () => {
    expect(played.session).toMatchObject({ status: 0, remaining: 0 });
    expect(played.session.stdout).toMatch(stdout);
    expectNoComplaint(contract, played.session);
  });

  ask("leaves no process behind", leavesNoProcess ?? "all end", () => {
    expect(played.left).toEqual([]);
  });
}

export function itIsStored(contract: HostContract, played: Played): void {
  const { host, end = "told", calls } = contract;
  const stored = calls.stored ?? host.shell;
  const base = { uid: expect.stringMatching(calls.uid ?? /^call_/), benign: false, agent: null };

  it(`tells its session from its start to its ${end === "told" ? "end" : "stop"}, each thing once`, () => {
    const { events, lab } = played;
    const kinds = events.map((event) => event.kind).filter((kind) => end !== "perhaps told" || kind !== "session-end");
    const made = Array.from({ length: countCalls(contract) }, () => "call");
    const around = ["prompt", ...(end === "told" ? ["session-end"] : []), "session-start", "stop"];
    expect(kinds.toSorted()).toEqual([...made, ...around]);
    expect(new Set(events.map((event) => `${event.host} ${event.session} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`${host.name} ${events[0]?.session} ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe(contract.prompt ?? PROMPT);
  });

  it("stores a call that went well", () => {
    const known = { ...stored(WORKING), head: "echo", ok: true, outcome: "ok", error: null, signature: null };
    expect(played.call("all is well")).toMatchObject({ ...base, ...known, ...calls.worked });
  });

  it("stores a command that failed, with one signature each time", () => {
    const error = expect.stringMatching(/^git: 'psuh' is not a git command\./);
    const known = { ...stored(FAILING), head: "git psuh", outcome: "failed", exitCode: 1, error };
    const signature = expect.stringMatching(/./);
    expect(played.call("psuh")).toMatchObject({ ...base, ...known, signature, ...calls.failed });
    const all = played.events.filter((event) => event.head === "git psuh");
    expect(new Set(all.map((event) => event.signature)).size).toBe(1);
  });
}

export function itIsAdvised(contract: HostContract, played: Played): void {
  const { note, refusal, asks, startAt = 0 } = contract;

  it("puts the rule before the model with the call it warns against, once", () => {
    const { request = 2, around = (text) => text, others = 0 } = note;
    const requests = listRequests(played.session);
    expect(JSON.stringify(requests.slice(0, request))).not.toContain("oldhand, rule r_");
    const shown = note.place === "result" ? resultsOf(requests[request]).at(-1) : read(requests[request]);
    expect(shown).toContain(around(`oldhand, rule ${played.rule}: ${ADVICE}`));
    const whole = JSON.stringify(requests.at(-1));
    expect(count(whole, ADVICE)).toBe(1);
    // A host may repeat the reason of a refusal.
    const notes = whole.replaceAll(/oldhand, rule r_\w+: (?:Never touch the lock|Ask before the key)/g, "");
    expect(count(notes, "oldhand, rule r_")).toBe(1 + others);
  });

  ask("does not run a call that a rule denies, and tells the model why", refusal, (refused) => {
    expect(wire(played.session)).toMatch(refused);
    expect(existsSync(join(played.lab.project, "lock"))).toBe(false);
    expect(played.call("touch lock")).toMatchObject({ outcome: "denied", signature: null });
  });

  ask("denies also what its owner would have to be asked", asks ?? { skip: "see deliveries.test.ts" }, () => {
    expect(resultsOf(listRequests(played.session).at(-1)).at(-1)).toMatch(
      /oldhand, rule \S+: Ask before the key is touched\./,
    );
    expect(existsSync(join(played.lab.project, "key"))).toBe(false);
  });

  it("is told what is known when it starts, and stops with its own words where nobody is at its screen", () =>
    played.inLab(async (lab) => {
      lab.oldhand("remember", "The owner prefers Rust.");
      const session = await lab.session({
        prompt: PROMPT,
        turns: [{ calls: [failing(contract.host)] }, { text: LAST }],
      });
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expect(startBlock(read(listRequests(session)[startAt]))).toContain("| The owner prefers Rust.");
      expect(listRequests(session)).toHaveLength(2);
      await contract.host.settle?.(lab);
      const prompts = (await storedEvents(lab)).filter((event) => event.kind === "prompt");
      expect(prompts.map((event) => event.text)).toEqual([contract.prompt ?? PROMPT]);
    }));
}

export function itIsImported(contract: HostContract, played: Played): void {
  ask("adds nothing when what it recorded of the same session is imported", contract.records, async ({ words }) => {
    const { lab, events } = played;
    expect(words(lab)).toHaveLength(1);
    for (const record of words(lab)) expect(lab.json("import", ...record)).toMatchObject({ events: 0 });
    expect(await storedEvents(lab)).toHaveLength(events.length);
  });

  ask("gives a mind that had no hooks the same calls and prompt", contract.records, ({ words, failures }) => {
    const { lab } = played;
    const elsewhere = join(lab.folder, "elsewhere");
    const events = countCalls(contract) + 1;
    for (const record of words(lab))
      expect(lab.json("import", ...record, "--home", elsewhere)).toMatchObject({ sessions: 1, events, failures });
  });
}

export function itGoesOn(contract: HostContract, { inLab }: Driver): void {
  const { host, plugin } = contract;
  const once = (call: ReturnType<DrivenHost["shell"]>) => ({ turns: [{ calls: [call] }, { text: "Well." }] });

  it("works on with a mind that cannot be opened, and says nothing about it", () =>
    inLab(async (lab) => {
      lab.write("this is no database", ".oldhand", "mind.db");
      const session = await lab.session(once(working(host)));
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      expectNoComplaint(contract, session);
      expectSilence(contract, session);
    }));

  ask("works on when oldhand is gone", plugin ?? { skip: "its hooks are commands" }, (file) =>
    inLab(async (lab) => {
      lab.write((lab.read(file) ?? "").replace("oldhand.cjs", "gone.cjs"), file);
      const session = await lab.session(once(working(host)));
      expect(session).toMatchObject({ status: 0, remaining: 0, stdout: expect.stringContaining("Well.") });
      expectNoComplaint(contract, session);
      expect(lab.oldhand("install", host.name)).toMatchObject({ status: 0, err: "" });
      expect(lab.read(file)).toContain("oldhand.cjs");
    }),
  );

  it("sees and says nothing when oldhand is off", () =>
    inLab(async (lab) => {
      lab.json("learn", ADVICE, "--command", FAILING);
      lab.oldhand("off");
      const session = await lab.session(once(failing(host)));
      expect(session).toMatchObject({ status: 0, remaining: 0 });
      await host.settle?.(lab);
      expectSilence(contract, session);
      expect(await storedEvents(lab)).toEqual([]);
    }));
}

export function itIsTakenBack({ host, files, project, uninstalling }: HostContract, played: Played): void {
  it("changes nothing when it is installed again", () => {
    const { lab } = played;
    const once = filesAt(lab, [...files, ".oldhand/hosts"]);
    expect(lab.oldhand("install", host.name).out).toMatch(/^Everything is already in place\.\n/);
    expect(filesAt(lab, [...files, ".oldhand/hosts"])).toEqual(once);
  });

  it("takes everything back to the byte", () => {
    const { lab, before } = played;
    expect(filesAt(lab, files)).not.toEqual(before);
    const checkOthers = uninstalling?.(lab);
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(filesAt(lab, files)).toEqual(before);
    checkOthers?.();
    expect(lab.find(".oldhand/hosts", "")).toEqual([]);
  });

  ask("wires one repository only, and leaves nothing behind", project, ({ file, holds, says = "" }) => {
    const { lab, before } = played;
    const folder = join(lab.project, file.split("/")[0] ?? "");
    expect(existsSync(folder)).toBe(false);
    const installed = lab.oldhand("install", host.name, "--project", lab.project);
    expect(installed).toMatchObject({ status: 0, out: expect.stringContaining(says) });
    expect(lab.read("..", "project", file)).toContain(holds);
    expect(filesAt(lab, files)).toEqual(before);
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(existsSync(folder)).toBe(false);
    expect(filesAt(lab, files)).toEqual(before);
  });
}

function expectNoComplaint({ complaint, complaintOnStdout }: HostContract, { stdout, stderr }: SessionRecord): void {
  expect(stderr).not.toMatch(complaint);
  if (complaintOnStdout) expect(stdout).not.toMatch(complaintOnStdout);
}

/** Expects nothing from oldhand in the model's requests. */
function expectSilence({ mention }: HostContract, session: SessionRecord): void {
  expect(wire(session)).not.toMatch(/oldhand, rule r_|From oldhand, which/);
  if (mention) expect(wire(session)).not.toMatch(mention);
}

/** A test that is skipped for some hosts; its title then says why. */
function ask<T extends string | object>(
  title: string,
  of: T,
  test: (of: Exclude<T, Skip>) => void | Promise<void>,
): void {
  if (typeof of === "object" && "skip" in of) it.skip(`${title} (skipped: ${String(of.skip)})`, () => {});
  else it(title, () => test(of as Exclude<T, Skip>));
}
