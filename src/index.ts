import { attendPayload } from "./attend/attend.ts";
import type { Context, Progress } from "./context.ts";
import { invoke, invokeStream } from "./invoke.ts";
import { type MindOptions, openContext } from "./mind.ts";
import type { Operation } from "./operation.ts";
import type { Operations } from "./operation-types.ts";
import { operations } from "./operations.ts";
import { startBackgroundLearner } from "./entrypoints/hook/background-learner.ts";
import { systemClock } from "./lib/clock.ts";
import { OldhandError } from "./lib/errors.ts";
import { findHost, hosts } from "./observe/hosts/list.ts";
import type { Host } from "./observe/protocol/host.ts";
import type { AgentEvent, Reply } from "./observe/protocol/hook-event.ts";
import type { StreamEvent } from "./stream-event.ts";

export { OldhandError, type ErrorCode } from "./lib/errors.ts";
export { redact, redactValue } from "./domain/redact/redact.ts";
export type { MindOptions } from "./mind.ts";
export type { Rule, Level, RuleStatus, Origin, Scope, Matcher } from "./domain/rule/rule.ts";
export type { Memory, MemoryCategory, MemoryKind, MemoryScope } from "./domain/memory/memory.ts";
export { extractMarkers, type Marker } from "./domain/memory/markers.ts";
export { type Quotable, quoted } from "./domain/trust/quote.ts";
export type { Event, EventKind, Ref } from "./domain/event/event.ts";
export type { Outcome } from "./domain/event/outcome.ts";
export type { Change, Cause } from "./domain/journal.ts";
export type { AgentEvent, Reply } from "./observe/protocol/hook-event.ts";
export type { Progress } from "./context.ts";
export type { Operations } from "./operation-types.ts";
export type { StreamEvent } from "./stream-event.ts";
export { version } from "./version.ts";

/** As typed after `oldhand`: `rules list`. */
export type OperationName = keyof Operations;
export type Input<Name extends OperationName> = Operations[Name]["input"];
export type Output<Name extends OperationName> = Operations[Name]["output"];

export interface RunOptions {
  /** If aborted, long work stops after its current step, with the error `stopped`. */
  readonly signal?: AbortSignal | undefined;
  /** Called with the progress of long work. */
  readonly report?: ((progress: Progress) => void) | undefined;
}

/** The input is optional if all its members are. */
export type RunArguments<Name extends OperationName> =
  object extends Input<Name>
    ? [input?: Input<Name>, options?: RunOptions]
    : Record<string, never> extends Input<Name>
      ? [input?: Input<Name>, options?: RunOptions]
      : [input: Input<Name>, options?: RunOptions];

/** An open mind. `await using mind = await openMind({ home })` closes it by itself. */
export interface Mind extends AsyncDisposable {
  /** Handles one hook payload of a host. Returns the reply in the host's protocol; empty if there is nothing to say. */
  observe(host: string, payload: unknown): Promise<string>;
  /**
   * Handles events of your own agent. Returns what to show it and whether a call is refused. The agent is observed,
   * advised and learned from like any host; rules are mined while it is idle.
   */
  attend(event: AgentEvent | readonly AgentEvent[]): Promise<Reply>;
  /** Mines rules from what was observed; `{ write: true }` stores them. */
  distil(options?: Input<"distil">): Promise<Output<"distil">>;
  /** What is known about a question. */
  recall(question: string, options?: Omit<Input<"recall">, "query">): Promise<Output<"recall">>;
  /** The rules that speak before a call. */
  match(call: Input<"match">): Promise<Output<"match">>;
  /**
   * Runs any operation by name: `await mind.run("rules list")`. Input and output are those of `oldhand NAME --json`.
   */
  run<Name extends OperationName>(name: Name, ...given: RunArguments<Name>): Promise<Output<Name>>;
  /** Like `run`, with progress; the last event is the result. Leaving the loop stops the work. */
  stream<Name extends OperationName>(
    name: Name,
    ...given: RunArguments<Name>
  ): AsyncGenerator<StreamEvent<Output<Name>>>;
  /** All operations that `run` takes. */
  readonly operations: readonly {
    readonly name: string;
    readonly summary: string;
    /** The strongest effect it may have; `touches` writes only bookkeeping. */
    readonly effect: "read" | "touches" | "write" | "spends" | "destroys";
  }[];
  /** Stops background work and closes the database. What was run before is stored. */
  close(): Promise<void>;
}

/**
 * Opens a mind, and creates it if it does not exist. Commands with the same home use the same mind. Close it, or its
 * database stays open.
 */
export async function openMind(options: MindOptions = {}): Promise<Mind> {
  const mind = await openContext(options);
  const run: Mind["run"] = async (name, ...[input = {}, watched = {}]) =>
    (await invoke(withRunOptions(mind, watched), requireOperation(name), input, `oldhand ${name} --help`)) as Output<
      typeof name
    >;
  const stream: Mind["stream"] = (name, ...[input = {}, watched = {}]) =>
    invokeStream(
      withRunOptions(mind, watched),
      requireOperation(name),
      input,
      `oldhand ${name} --help`,
    ) as AsyncGenerator<StreamEvent<Output<typeof name>>>;
  // A clock other than the system's is for tests and replays: there, only explicit calls learn.
  const learner = mind.clock === systemClock ? startBackgroundLearner(mind) : null;
  const observePayload = async (name: string, payload: unknown) => {
    const host = requireHost(name);
    const reply = () => attendPayload(mind, host, payload);
    return learner === null ? reply() : learner.around(reply);
  };
  const close = async () => {
    await learner?.close();
    await mind.close();
  };
  return {
    observe: async (name, payload) => (await observePayload(name, payload)).text,
    attend: async (event) => {
      const { text: _, ...reply } = await observePayload("oldhand", event);
      return reply;
    },
    distil: (how = {}) => run("distil", how),
    recall: (question, how = {}) => run("recall", { ...how, query: question }),
    match: (call) => run("match", call),
    run,
    stream,
    operations: operations.map(({ name, summary, effect }) => ({ name, summary, effect })),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function requireHost(name: string): Host {
  const host = findHost(name);
  if (host) return host;
  throw new OldhandError("usage", `there is no host ${name}`, { hint: hosts.map((one) => one.name).join(", ") });
}

function requireOperation(name: string): Operation {
  const operation = operations.find((one) => one.name === name);
  if (operation) return operation;
  throw new OldhandError("usage", `there is no operation "${name}"`, {
    hint: operations.map((one) => one.name).join(", "),
  });
}

function withRunOptions(mind: Context, { signal, report = mind.report }: RunOptions): Context {
  return { ...mind, report, signal: signal ? AbortSignal.any([mind.signal, signal]) : mind.signal };
}
