import { attendPayload } from "./attend/attend.ts";
import { type MindOptions, openContext } from "./mind.ts";
import { checked } from "./operation.ts";
import { operations } from "./operations.ts";
import { OldhandError } from "./lib/errors.ts";
import { hostNamed, hosts } from "./observe/hosts/list.ts";
import type { Host } from "./observe/protocol/host.ts";
import type { AgentEvent, Answer } from "./observe/protocol/seen.ts";

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
export type { AgentEvent, Answer } from "./observe/protocol/seen.ts";
export type { Progress } from "./context.ts";
export { version } from "./version.ts";

/** An open mind. `await using mind = await openMind({ home })` closes it by itself. */
export interface Mind extends AsyncDisposable {
  /** One hook payload of a host; what the host is to be answered, in its own protocol, or nothing. */
  observe(host: string, payload: unknown): Promise<string>;
  /** What happens in an agent of your own, and what it should hear or obey. It is observed, advised and learned from as any host's. */
  attend(event: AgentEvent | readonly AgentEvent[]): Promise<Answer>;
  /** Looks for rules in what was observed, and writes them when told to. */
  distil(options?: { readonly write?: boolean }): Promise<unknown>;
  /** The rules that speak before a call. */
  recall(call: { readonly tool?: string; readonly command?: string; readonly cwd?: string }): Promise<unknown>;
  /** Any operation by its name, `await mind.run("rules list")`; input and answer are those of `oldhand NAME --json`. */
  run(name: string, input?: Readonly<Record<string, unknown>>): Promise<unknown>;
  /** What there is to run. */
  readonly operations: readonly { readonly name: string; readonly summary: string; readonly kind: "read" | "write" }[];
  /** Writes nothing more; what was run before is stored. */
  close(): Promise<void>;
}

/** Opens a mind, made if it is not there: the same as the commands use for the same home. Close it, or its database stays open. */
export async function openMind(options: MindOptions = {}): Promise<Mind> {
  const mind = await openContext(options);
  const run: Mind["run"] = async (name, input = {}) => {
    const operation = operations.find((one) => one.name === name);
    if (!operation)
      throw new OldhandError("usage", `there is no operation "${name}"`, {
        hint: operations.map((one) => one.name).join(", "),
      });
    return operation.run(mind, checked(operation, input, `oldhand ${name} --help`));
  };
  return {
    observe: async (name, payload) => (await attendPayload(mind, hostCalled(name), payload)).text,
    attend: async (event) => {
      const { text: _, ...answer } = await attendPayload(mind, hostCalled("oldhand"), event);
      return answer;
    },
    distil: (how = {}) => run("distil", { ...how }),
    recall: (call) => run("match", { ...call }),
    run,
    operations: operations.map(({ name, summary, kind }) => ({ name, summary, kind })),
    close: () => mind.close(),
    [Symbol.asyncDispose]: () => mind.close(),
  };
}

function hostCalled(name: string): Host {
  const host = hostNamed(name);
  if (host) return host;
  throw new OldhandError("usage", `no host is called ${name}`, { hint: hosts.map((one) => one.name).join(", ") });
}
