import type { NewEvent } from "../../domain/event/event.ts";
import type { FailureCause } from "../../domain/cause/cause.ts";
import type { Db } from "../../store/engine/db.ts";
import type { FileSearchScope } from "../disk/similar-paths.ts";

/** A failed call with its cause and workspace. */
export interface Failure {
  readonly call: NewEvent & { readonly tool: string };
  readonly cause: FailureCause;
  readonly error: string;
  readonly workspace: string;
}

/** What is true now, found for a failure. */
export interface FailureAnswer {
  /** Describes the lines in a few words. */
  readonly label: string;
  readonly lines: readonly string[];
  /** A shorter form, if the lines do not fit. */
  readonly shorter?: readonly string[];
  readonly offers: Offer;
}

/** A later call used the answer if it contains one of the texts and, if `file` is set, is about that file. */
export interface Offer {
  readonly file: string | null;
  readonly texts: readonly string[];
}

export interface AnswerLookup extends FileSearchScope {
  readonly db: Db;
  /** True if the session itself read, edited or wrote the file; only then may its lines be shown. */
  wasUsed(path: string): Promise<boolean>;
}
