import type { NewEvent } from "../../domain/event/event.ts";
import type { FailureCause } from "../../domain/cause/cause.ts";
import type { Db } from "../../store/engine/db.ts";
import type { FileSearchScope } from "./similar-paths.ts";

/** A call that failed, why, and where it was made. */
export interface Failure {
  readonly call: NewEvent & { readonly tool: string };
  readonly cause: FailureCause;
  readonly error: string;
  readonly workspace: string;
}

/** What is true now, found for a failure. */
export interface FailureAnswer {
  /** What the lines are, in a few words. */
  readonly label: string;
  readonly lines: readonly string[];
  /** The same in fewer characters, where the lines do not fit. */
  readonly shorter?: readonly string[];
  readonly offers: Offer;
}

/** By what a later call shows that it used the answer: it holds one of the texts, and is about the file where one is named. */
export interface Offer {
  readonly file: string | null;
  readonly texts: readonly string[];
}

export interface AnswerLookup extends FileSearchScope {
  readonly db: Db;
  /** Whether the session itself read, edited or wrote a file: then its lines may be shown. */
  wasUsed(path: string): Promise<boolean>;
}
