/** What a host's hook told us, in one language. Hosts differ in their words, not in what happens. */
export interface HookEventBase {
  readonly host: string;
  readonly session: string;
  readonly cwd: string | null;
  readonly model: string | null;
  /** The sub-agent that acts, if one does. */
  readonly agent: string | null;
  /** Where the host keeps its own record of this session. */
  readonly transcript: string | null;
  /** The host's own name of the moment, where it has several for one of ours: an answer must repeat it. */
  readonly heardAs?: string;
  readonly hostVersion?: string;
  /** Of a moment that a host tells twice: here only to be answered, or only to be stored. */
  readonly only?: "heard" | "stored";
  /** Whether somebody sees the client's screen. False: a line for its person is shown to nobody. Absent: nobody knows. */
  readonly hasScreen?: boolean;
}

export interface CallFields {
  readonly tool: string;
  readonly input: unknown;
  readonly callId: string | null;
}

export type HookEvent = HookEventBase & HookEventDetails;

/** What happens in a session. */
export type HookEventDetails =
  | { readonly moment: "session-start"; readonly source: string | null }
  | { readonly moment: "prompt"; readonly prompt: string; readonly promptId: string | null }
  | ({
      readonly moment: "before-call";
      /** Where a host loses one kind of answer at one moment and takes it at another. Absent: it takes both now. */
      readonly takes?: "decision" | "context";
      /** Set where this version of a host that asks does not ask. */
      readonly asks?: "no";
    } & CallFields)
  | ({
      readonly moment: "after-call";
      readonly ok: boolean;
      readonly text: string | null;
      readonly exitCode: number | null;
      readonly durationMs: number | null;
    } & CallFields)
  | {
      readonly moment: "stop";
      readonly again: boolean;
      /** The agent's last words, where they hold a marker. */
      readonly said?: string;
    }
  | { readonly moment: "session-end"; readonly reason: string | null };

/** What an agent built on the library says of itself: its session, where it works, and what happens. */
export type AgentEvent = Pick<HookEventBase, "session"> &
  Partial<Pick<HookEventBase, "cwd" | "model" | "agent">> &
  HookEventDetails;

export type Moment = HookEvent["moment"];

export function isFailedCallEvent(event: HookEvent): boolean {
  return event.moment === "after-call" && (!event.ok || (event.exitCode ?? 0) !== 0);
}

/** What we have to say at that moment; the host's encoder puts it into its own protocol. */
export interface Answer {
  /** Text for the model to read. At a stop it is a reason to go on. */
  readonly context?: string;
  /** A line for the person at the host, which the model does not read. Only where the host `tells`. */
  readonly forPerson?: string;
  readonly decision?: { readonly kind: "ask" | "deny"; readonly reason: string };
}

/** Reason and context as one text, for hosts that take only one. A context may begin with the reason: then it says all. */
export function joinReasonAndContext(reason: string | undefined, context: string | undefined): string {
  if (reason === undefined || context?.startsWith(reason)) return context ?? "";
  return context === undefined ? reason : `${reason}\n${context}`;
}

/** The line for the person, in the word that several hosts share: they show it, and their models do not read it. */
export function toSystemMessage({ forPerson }: Answer): { readonly systemMessage?: string } {
  return forPerson === undefined ? {} : { systemMessage: forPerson };
}
