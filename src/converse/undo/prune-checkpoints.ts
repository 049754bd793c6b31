import type { Context } from "../../context.ts";
import { DAY, MINUTE } from "../../lib/clock.ts";
import { listKeptStates, removeCheckpoints, removeOldCheckpoints } from "../../store/chat/checkpoints.ts";
import { contentOf } from "./file-state.ts";
import { listContents, removeContent } from "./kept-contents.ts";

/**
 * Removes checkpoints that are too old, then the oldest ones until the copies fit into the disk cap, then copies that no
 * checkpoint needs. A turn goes as a whole: half of it could not be taken back.
 */
export async function pruneCheckpoints({ db, config, clock }: Pick<Context, "db" | "config" | "clock">): Promise<void> {
  const { checkpointDays, checkpointMegabytes } = config.policy.chat;
  const now = clock.now();
  await removeOldCheckpoints(db, now - checkpointDays * DAY);
  const contents = listContents(config.home);
  if (contents.length === 0) return;
  const sizes = new Map(contents.map(({ hash, bytes }) => [hash, bytes]));
  const turns = groupByTurn(await listKeptStates(db), sizes);
  const uses = countUses(turns);
  let total = [...uses.keys()].reduce((sum, hash) => sum + (sizes.get(hash) ?? 0), 0);
  for (const { session, turn, hashes } of turns) {
    if (total <= checkpointMegabytes * 1_000_000) break;
    // Copies on another machine take no room here.
    if (hashes.length === 0) continue;
    await removeCheckpoints(db, session, turn);
    for (const hash of hashes) {
      const left = (uses.get(hash) ?? 1) - 1;
      uses.set(hash, left);
      if (left === 0) total -= sizes.get(hash) ?? 0;
    }
  }
  for (const { hash, at } of contents)
    if ((uses.get(hash) ?? 0) === 0 && at < now - YOUNG_MS) removeContent(config.home, hash);
}

/** Another process may have kept it, and be about to store why. */
const YOUNG_MS = 10 * MINUTE;

interface KeptTurn {
  readonly session: string;
  readonly turn: number;
  /** Of the copies on this machine, each once. */
  readonly hashes: readonly string[];
}

function groupByTurn(
  states: Awaited<ReturnType<typeof listKeptStates>>,
  sizes: ReadonlyMap<string, number>,
): readonly KeptTurn[] {
  const turns = new Map<string, { session: string; turn: number; hashes: Set<string> }>();
  for (const { session, turn, before } of states) {
    const key = `${session} ${turn}`;
    const known = turns.get(key) ?? { session, turn, hashes: new Set<string>() };
    const hash = contentOf(before);
    if (hash !== null && sizes.has(hash)) known.hashes.add(hash);
    turns.set(key, known);
  }
  return [...turns.values()].map((one) => ({ ...one, hashes: [...one.hashes] }));
}

function countUses(turns: readonly KeptTurn[]): Map<string, number> {
  const uses = new Map<string, number>();
  for (const { hashes } of turns) for (const hash of hashes) uses.set(hash, (uses.get(hash) ?? 0) + 1);
  return uses;
}
