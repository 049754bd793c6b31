import { readRanTrait } from "../../domain/rule/matching/situation.ts";
import { makeCallGroup } from "../../domain/shell/step.ts";
import type { Db } from "../../store/engine/db.ts";
import { listFirstWorked } from "../../store/derived/tries.ts";

/** Returns those of some traits that hold for a call: their command had worked before it in its session. */
export type ListRanBefore = (call: {
  readonly id: number;
  readonly host: string;
  readonly session: string;
}) => readonly string[];

/** Reads what sessions ran before, for the traits that ask for it. */
export async function readRanBefore(db: Db, traits: readonly string[]): Promise<ListRanBefore> {
  const found: { readonly trait: string; readonly first: ReadonlyMap<string, number> }[] = [];
  for (const trait of traits) {
    const head = readRanTrait(trait);
    if (head !== null) found.push({ trait, first: await listFirstWorked(db, makeCallGroup("bash", head)) });
  }
  if (found.length === 0) return () => none;
  return ({ id, host, session }) =>
    found
      .filter(({ first }) => (first.get(`${host} ${session}`) ?? Number.MAX_SAFE_INTEGER) < id)
      .map(({ trait }) => trait);
}

const none: readonly string[] = [];
