/** An event of a host's hook, in one form for all hosts. */
export interface HookEventBase {
  readonly host: string;
  readonly session: string;
  readonly cwd: string | null;
  readonly model: string | null;
  /** The acting sub-agent; null for the main agent. */
  readonly agent: string | null;
  /** The path of the host's own record of this session. */
  readonly transcript: string | null;
  /** The host's event name, if it has several for one moment: the reply must repeat it. */
  readonly eventName?: string;
  readonly hostVersion?: string;
  /** For a moment that a host reports twice: this event is only replied to, or only stored. */
  readonly only?: "heard" | "stored";
  /**
   * True if a person sees the client's screen. If false, a line for the person would not be seen. Absent if unknown.
   */
  readonly hasScreen?: boolean;
}

export interface CallFields {
  readonly tool: string;
  readonly input: unknown;
  readonly callId: string | null;
}

export type HookEvent = HookEventBase & HookEventDetails;

export type HookEventDetails =
  | { readonly moment: "session-start"; readonly source: string | null }
  | { readonly moment: "prompt"; readonly prompt: string; readonly promptId: string | null }
  | ({
      readonly moment: "before-call";
      /** The kind of reply that the host takes at this moment, if it drops the other. Absent: it takes both. */
      readonly takes?: "decision" | "context";
      /** Set if this version of the host cannot ask, although others can. */
      readonly asks?: "no";
      /** The host always says when the calls of one answer of the model have ended. */
      readonly reportsBatch?: true;
    } & CallFields)
  | ({
      readonly moment: "after-call";
      /** The host reports it when all calls of its batch have ended. Elsewhere others may follow that the model made with it. */
      readonly endsBatch?: true;
      readonly ok: boolean;
      readonly text: string | null;
      readonly exitCode: number | null;
      readonly durationMs: number | null;
    } & CallFields)
  | {
      readonly moment: "stop";
      readonly again: boolean;
      /** True if the host takes a text as context here, and does not have to be told to go on. */
      readonly takesContext?: boolean;
      /** The agent's last message, if it contains a marker. */
      readonly said?: string;
    }
  | { readonly moment: "session-end"; readonly reason: string | null };

/** An event of an agent built on the library: its session, where it works, and what happened. */
export type AgentEvent = Pick<HookEventBase, "session"> &
  Partial<Pick<HookEventBase, "cwd" | "model" | "agent">> &
  HookEventDetails;

export type Moment = HookEvent["moment"];

export function isFailedCallEvent(event: HookEvent): boolean {
  return event.moment === "after-call" && (!event.ok || (event.exitCode ?? 0) !== 0);
}

/** What to say at that moment; the host's encoder converts it into its protocol. */
export interface Reply {
  /** Text for the model. At a stop it is a reason to continue. */
  readonly context?: string;
  /** A line for the person at the host, which the model does not read. Only at the host's `personMoments`. */
  readonly forPerson?: string;
  readonly decision?: {
    readonly kind: "ask" | "deny";
    /** For the model. */
    readonly reason: string;
    /** A denial in words for the person. */
    readonly forPerson?: string;
  };
}

/**
 * Joins reason and context for hosts that take only one text. If the context begins with the reason, it is used
 * alone.
 */
export function joinReasonAndContext(reason: string | undefined, context: string | undefined): string {
  if (reason === undefined || context?.startsWith(reason)) return context ?? "";
  return context === undefined ? reason : `${reason}\n${context}`;
}

/** The line for the person, in a field that several hosts share: they show it, and their models do not read it. */
export function toSystemMessage({ forPerson }: Reply): { readonly systemMessage?: string } {
  return forPerson === undefined ? {} : { systemMessage: forPerson };
}
