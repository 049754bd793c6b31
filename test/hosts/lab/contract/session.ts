import { existsSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect } from "vitest";
import type { Event } from "../../../../src/domain/event/event.ts";
import type { ScriptedTurn } from "../../../../src/testing/scripted-server.ts";
import type { Driver } from "../driven.ts";
import type { Lab } from "../lab.ts";
import { storedEvents } from "../stored-events.ts";
import { ADVICE, type Contract, FAILING, failing, type HostContract, LAST, PROMPT, working } from "./terms.ts";

export interface Played extends Contract {
  readonly before: Files;
  /** Processes still running at the end of the session. */
  readonly left: readonly string[];
}

/** Runs the session that most tests of the contract check, once, before them. */
export function playSession(contract: HostContract, driver: Driver): Played {
  const { host, rules = [] } = contract;
  const play = async (lab: Lab) => {
    const before = filesAt(lab, contract.files);
    expect(lab.oldhand("install", host.name)).toMatchObject({ status: 0, err: "" });
    host.allow?.(lab);
    const { rule } = lab.json<{ rule: { id: string } }>("learn", ADVICE, "--command", FAILING);
    lab.json("learn", "Never touch the lock.", "--command", "touch lock", "--level", "deny");
    lab.json("learn", "Ask before the key is touched.", "--command", "touch key", "--level", "ask");
    for (const words of rules) lab.json("learn", ...words);
    const session = await lab.session({ prompt: PROMPT, turns: allTurns(contract) });
    if (session.timeOuts.length > 0) throw new Error(session.timeOuts.join("; "));
    const left = lab.processes();
    await host.settle?.(lab);
    return { before, rule: rule.id, session, left, events: await storedEvents(lab) };
  };
  let played: (Awaited<ReturnType<typeof play>> & { readonly lab: Lab }) | null = null;
  beforeAll(async () => {
    const { lab, result } = await driver.openLab(play, { says: "calls", install: null });
    played = { ...result, lab };
  });
  afterAll(async () => {
    if (played === null) return;
    await host.settle?.(played.lab);
    played.lab.close();
  });
  const known = () => {
    if (played === null) throw new Error("the session has not run yet");
    return played;
  };
  return {
    ...driver,
    get lab() {
      return known().lab;
    },
    get session() {
      return known().session;
    },
    get events() {
      return known().events;
    },
    get rule() {
      return known().rule;
    },
    get before() {
      return known().before;
    },
    get left() {
      return known().left;
    },
    call: (text) => find(known().events, text),
  };
}

/** The turns common to all hosts, with this host's own in the middle. */
function allTurns({ host, asks, turns }: HostContract): readonly ScriptedTurn[] {
  const last = ["touch lock", ...(asks === "denies" ? ["touch key"] : [])];
  return [
    ...[working(host), failing(host)].map((call) => ({ calls: [call] })),
    ...turns,
    ...last.map((command) => ({ calls: [host.shell(command)] })),
    { text: LAST },
  ];
}

export function countCalls(contract: HostContract): number {
  return allTurns(contract).flatMap((turn) => ("calls" in turn ? turn.calls : [])).length;
}

function find(events: readonly Event[], text: string): Event | undefined {
  return events.find((event) => JSON.stringify(event.input)?.includes(text));
}

type Files = Readonly<Record<string, string | Readonly<Record<string, string>> | null>>;

/** The content of each path: a file's text, a folder's files, or null. */
export function filesAt(lab: Lab, paths: readonly string[]): Files {
  const at = (path: string) => {
    const file = join(lab.home, path);
    return existsSync(file) && statSync(file).isDirectory() ? lab.tree(path) : lab.read(path);
  };
  return Object.fromEntries(paths.map((path) => [path, at(path)]));
}
