import { describe, expect, it } from "vitest";
import type { ScriptedCall } from "../../../src/testing/scripted-server.ts";
import type { Client } from "./client.ts";
import { Lab, type SessionJob } from "./lab.ts";
import { loopbackOnly } from "./loopback.ts";

/** A host whose real client a test can run: how its user sets it up, and how its model calls tools. */
export interface DrivenHost {
  /** The name for `oldhand install`. */
  readonly name: string;
  readonly client: Client;
  /** Writes the user's files that exist before oldhand is installed. */
  prepare(lab: Lab): void;
  /** What the user does after installing. */
  allow?(lab: Lab): void;
  /** Waits for work after the client's end, and ends processes it leaves running. */
  settle?(lab: Lab): Promise<void>;
  shell(command: string): ScriptedCall;
  /** The model's call of a tool of oldhand; null if oldhand is not one of its MCP servers. */
  tool(name: string, input: Readonly<Record<string, unknown>>): ScriptedCall | null;
  /** How to resume a session. */
  again?(session: string, prompt: string): Pick<SessionJob, "prompt" | "flags">;
}

export interface LabOptions {
  readonly says?: "everything" | "calls";
  /** Arguments of `oldhand install` instead of the host's name. Null: the test installs it. */
  readonly install?: readonly string[] | null;
}

/** Helpers for the tests of one host. */
export interface Driver {
  /** A lab with the host set up and oldhand installed. The caller closes it. */
  newLab(options?: LabOptions): Lab;
  /**
   * Runs a scenario in such a lab and closes it. A failed scenario runs once more, in a new lab, only if a time limit
   * is known to have expired: under full load a hook is silent by design. The retry is printed.
   */
  inLab(act: (lab: Lab) => Promise<void>, options?: LabOptions): Promise<void>;
  /** The same for a lab that its caller closes. */
  openLab<T>(act: (lab: Lab) => Promise<T>, options?: LabOptions): Promise<Played<T>>;
}

/** Defines the tests of each host whose client can run here; for others, a skipped test says why. */
export function describeHosts<T extends { readonly host: DrivenHost }>(
  title: (one: T) => string,
  cases: readonly T[],
  tests: (one: T & Driver) => void,
): void {
  for (const one of cases) describeHost(title(one), one.host, (driver) => tests({ ...one, ...driver }));
}

export function describeHost(title: string, host: DrivenHost, tests: (driver: Driver) => void): void {
  describe(title, () => {
    const { client } = host;
    if (alone === null || client.kind === "absent") {
      const why =
        client.kind === "absent" ? client.why : "no network namespace can be made here: needs root, unshare, ip";
      it.skip(`is driven offline (skipped: ${why})`, () => {});
      return;
    }
    const newLab = (options: LabOptions = {}) =>
      setUp(host, new Lab(client, alone, options.says ?? "everything"), options);
    const openLab: Driver["openLab"] = (act, options) => play(host, () => newLab(options), act);
    tests({ newLab, openLab, inLab: async (act, options) => leave(host, (await openLab(act, options)).lab) });
  });
}

/** Its name and version, for titles. */
export function hostTitle({ name, client }: DrivenHost): string {
  return `${name} ${client.version}`;
}

const alone = loopbackOnly();

function setUp(host: DrivenHost, lab: Lab, { install = [host.name] }: LabOptions): Lab {
  host.prepare(lab);
  if (install === null) return lab;
  const { status, err } = lab.oldhand("install", ...install);
  if (status !== 0 || err !== "") throw new Error(`oldhand install ${install.join(" ")} ended with ${status}: ${err}`);
  host.allow?.(lab);
  return lab;
}

/** Runs the scenario again only if a time limit is known to have expired. */
async function play<T>(host: DrivenHost, open: () => Lab, act: (lab: Lab) => Promise<T>): Promise<Played<T>> {
  const first = await playOnce(host, open(), act);
  if (first.kind === "played") return first;
  if (first.timeOuts.length === 0) throw first.error;
  report(first);
  const second = await playOnce(host, open(), act);
  if (second.kind === "played") return second;
  throw second.error;
}

interface Played<T> {
  readonly lab: Lab;
  readonly result: T;
}

interface Failed {
  readonly error: unknown;
  readonly timeOuts: readonly string[];
}

type Outcome<T> = ({ readonly kind: "played" } & Played<T>) | ({ readonly kind: "failed" } & Failed);

async function playOnce<T>(host: DrivenHost, lab: Lab, act: (lab: Lab) => Promise<T>): Promise<Outcome<T>> {
  try {
    return { kind: "played", lab, result: await act(lab) };
  } catch (error) {
    const timeOuts = lab.timeOuts();
    await leave(host, lab);
    return { kind: "failed", error, timeOuts };
  }
}

async function leave(host: DrivenHost, lab: Lab): Promise<void> {
  await host.settle?.(lab);
  lab.close();
}

function report({ error, timeOuts }: Failed): void {
  const [failure = ""] = String(error).split("\n");
  const lines = [
    `once more: ${expect.getState().currentTestName}`,
    ...timeOuts,
    `failed with: ${failure.slice(0, 200)}`,
  ];
  process.stdout.write(`\n${lines.join("\n  ")}\n`);
}
