import type { Input, Output } from "./api-result.ts";
import type { Host, RepeatedMistake, SessionEvent } from "./contract.ts";

/** Names for parts of responses that the generated contract does not name. */
export type Finding = Host["findings"][number];
export type Outcome = NonNullable<SessionEvent["outcome"]>;
export type MistakeEvidence = RepeatedMistake["evidence"][number];
export type Piece = Output<"recall">["pieces"][number];
export type ShownItem = Output<"rules/shown">["shown"][number];
export type IdentityFile = Output<"soul/show">["files"][number];
export type FileDrift = Output<"soul/drift">["files"][number];
export type Growth = Output<"soul/log">["entries"][number];
/** A subject as it was at a given time. */
export type PastState = Output<"at">["state"][number];
export type SessionPage = Output<"sessions/list">;
export type EventPage = Output<"sessions/show">;
export type SessionsQuery = Input<"sessions/list">;
export type EventsQuery = Input<"sessions/show">;
