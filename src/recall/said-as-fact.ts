import type { Context } from "../context.ts";
import type { NewEvent } from "../domain/event/event.ts";
import { type Fact, factId } from "../domain/fact/fact.ts";
import { mayShowFact } from "../domain/fact/may-show.ts";
import { relativePathWithin } from "../domain/workspace.ts";
import { listFacts, listShownFactIds } from "../store/derived/facts.ts";

/**
 * Null unless everything the failed call lacked was already shown to its session as facts. Else checks
 * whether a text offers the same as those facts.
 */
export async function findSaidFacts(
  ctx: Pick<Context, "db" | "config">,
  call: NewEvent,
): Promise<((text: string) => boolean) | null> {
  const { db } = ctx;
  const { workspace, tool } = call;
  const error = call.error ?? "";
  if (workspace === null || tool === null || !mayShowFact(error)) return null;
  const said = await listShownFactIds(db, call);
  if (said.size === 0) return null;
  const { findFactsInFailure } = await import("../domain/fact/read-failure.ts");
  const ids = findFactsInFailure({ ...call, tool }, error).map((one) => factId({ workspace, ...one }));
  if (ids.length === 0 || !ids.every((id) => said.has(id))) return null;
  const { locateManifest } = await import("./calls/fact-state.ts");
  const { locateMissingPaths } = await import("./calls/missing-elsewhere.ts");
  const known = (await listFacts(db, workspace)).filter((fact) => ids.includes(factId(fact))).map(locateManifest);
  const facts = await locateMissingPaths(ctx, known, call.cwd);
  return (text) => facts.some((fact) => isOffered(fact, text) || listsTheSame(fact, text));
}

interface SaidFact extends Fact {
  readonly declared?: readonly string[];
  readonly packages?: readonly { readonly command: string }[];
}

/** The fact named the scripts that an answer would list. A rule says more: which of them is meant. */
function listsTheSame({ declared = [], packages: [of] = [] }: SaidFact, text: string): boolean {
  const first = of?.command ?? declared[0];
  return first !== undefined && text.includes(first) && !text.startsWith("oldhand, rule");
}

function isOffered({ instead, workspace }: Fact, text: string): boolean {
  return (
    instead !== null && (text.includes(instead) || text.includes(relativePathWithin(workspace, instead) ?? instead))
  );
}
