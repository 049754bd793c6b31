import { findHiddenFailure, isHiddenFailure, judgeReportedSuccess } from "../../domain/cause/hidden-failure.ts";
import { isShellTool } from "../../domain/shell/command.ts";
import { findShellText } from "../../domain/shell/shell-text.ts";
import { isHeldByUs } from "../../domain/text/rule-message-text.ts";
import { isPseudoTool } from "../../domain/event/pseudo-tool.ts";
import { signatureOf } from "../../domain/event/signature.ts";
import { newSituation, type Situation } from "../../domain/rule/matching/situation.ts";
import { makeCallGroup, listHeads } from "../../domain/shell/step.ts";
import type { Db } from "../../store/engine/db.ts";
import { listSessionCalls, hasFailureWithSignature, type MinableEvent } from "../../store/events/events.ts";
import { cursors, readCursor } from "../../store/state/cursors.ts";
import { addTries, type Try, type TryResult } from "../../store/derived/tries.ts";
import type { EventReader } from "./count-new-events.ts";

/** Sessions kept in memory; more than ever run at once. */
const MOST_SESSIONS = 500;

/** Stores every call under the heads it runs, with its situation. */
export async function makeTriesReader(db: Db): Promise<EventReader> {
  const situations = new Situations(await readCursor(db, cursors.tried));
  let found: Try[] = [];
  return {
    cursor: cursors.tried,
    read: (db, call) => {
      if (!isCall(call)) return undefined;
      const { tool } = call;
      const add = (situation: Situation): Promise<void> | void => {
        const before = situation.before(call);
        const state = before.size === 0 ? none : [...before];
        situation.after(call);
        const result = classifyCall(call);
        if (result === null) return undefined;
        const push = (came: (head: string | null) => TryResult) => {
          for (const head of listHeads(call))
            found.push({ group: makeCallGroup(tool, head), event: call.id, result: came(head), state });
        };
        const blamed = findBlamedHead(call, result);
        if (blamed !== null) return push((head) => (head === blamed ? "failed" : "unclear"));
        if (result !== "worked" || !mayBeMasked(call)) return push(() => result);
        if (judgeReportedSuccess(call, call.text) !== "worked") return push(() => "unclear");
        return isMasked(db, call).then((masked) => push(() => (masked ? "unclear" : result)));
      };
      const known = situations.known(call);
      return known === null ? situations.read(db, call).then(add) : add(known);
    },
    write: async (tx) => {
      await addTries(tx, found);
      found = [];
    },
  };
}

type MinableCall = MinableEvent & { readonly tool: string };

const none: readonly string[] = [];

function isCall(event: MinableEvent): event is MinableCall {
  return event.kind === "call" && event.tool !== null && !isPseudoTool(event.tool);
}

/** Null for calls that show nothing: interrupted, cascade, or held by us. The agent's next call counts instead. */
function classifyCall(call: MinableCall): TryResult | null {
  if (isHeldByUs(call.error)) return null;
  if (call.outcome === "ok") return "worked";
  if (call.outcome === "failed") return call.benign ? "worked" : "failed";
  return call.outcome === "denied" || call.outcome === "rejected" ? "unclear" : null;
}

/** Classifies one call. A failure seen only in its output is "failed" if `isMeant` accepts its head, else "unclear". */
export function classifyTry(call: MinableCall, isMeant: (head: string) => boolean): TryResult | null {
  const result = classifyCall(call);
  const blamed = findBlamedHead(call, result);
  if (blamed !== null) return isMeant(blamed) ? "failed" : "unclear";
  return result === "worked" && mayBeMasked(call) ? "unclear" : result;
}

/** True if a pipe or `;` may hide a failed command: the host reports success, but the output mentions an error. */
function mayBeMasked({ tool, input, text }: MinableCall): boolean {
  return (
    text !== null &&
    text !== "" &&
    isShellTool(tool) &&
    /[|;]/.test(findShellText(input) ?? "") &&
    /error|fail|not found|no such|unrecognized|unknown|usage/i.test(text)
  );
}

/** The head of the command that failed behind a pipe, if the output is unmistakable; else null. */
function findBlamedHead(call: MinableCall, result: TryResult | null): string | null {
  const { tool, input } = call;
  // Calls that were stored as successes before outcomes were read this way have their output in `text`.
  const output = result === "worked" ? call.text : result === "failed" && isHiddenFailure(call) ? call.error : null;
  return output === null || output === "" ? null : (findHiddenFailure({ tool, input }, output)?.blamed ?? null);
}

function isMasked(tx: Db, { tool, input, text }: MinableCall): Promise<boolean> {
  return hasFailureWithSignature(tx, signatureOf(tool, input, text ?? "").key);
}

/** The situations of recent sessions. If a session began before this run, its earlier calls are read once. */
class Situations {
  private readonly bySession = new Map<string, Situation>();
  /** Evicted for lack of room; their calls are read again when they return. */
  private readonly aside = new Set<string>();
  private readonly from: number;
  private last: { readonly key: string; readonly situation: Situation } | null = null;

  constructor(from: number) {
    this.from = from;
  }

  /** Null if the situation must be read or created. */
  known(call: MinableEvent): Situation | null {
    const key = sessionKey(call);
    if (this.last?.key === key) return this.last.situation;
    const situation = this.bySession.get(key);
    if (situation === undefined) return null;
    this.keep(key, situation);
    return situation;
  }

  async read(tx: Db, call: MinableEvent): Promise<Situation> {
    const key = sessionKey(call);
    const situation = newSituation();
    // If this run starts at the first event, no session has earlier calls.
    if (this.from > 0 || this.aside.has(key))
      for (const before of await listSessionCalls(tx, { host: call.host, id: call.session }, call.id))
        if (before.tool !== null) situation.after({ ...before, tool: before.tool });
    if (this.bySession.size >= MOST_SESSIONS) {
      const oldest = this.bySession.keys().next().value ?? "";
      this.bySession.delete(oldest);
      this.aside.add(oldest);
    }
    this.keep(key, situation);
    return situation;
  }

  /** Moves the session to the end, so that the least recently used one is evicted first. */
  private keep(key: string, situation: Situation): void {
    this.bySession.delete(key);
    this.bySession.set(key, situation);
    this.last = { key, situation };
  }
}

function sessionKey({ host, session }: MinableEvent): string {
  return `${host} ${session}`;
}
