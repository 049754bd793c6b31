import { z } from "zod";
import { isSharedMind, loadConfig, readSettingMember, requireDatabase, writeSettings } from "../../config.ts";
import type { Context } from "../../context.ts";
import type { Change } from "../../domain/journal.ts";
import {
  changedFields,
  changedSettings,
  isHiddenValue,
  journalledMember,
  nameSetting,
  parseSettingSubject,
  type SettingState,
  toSettingState,
  toSettingSubject,
} from "../../domain/journalled-settings.ts";
import { OldhandError } from "../../lib/errors.ts";
import { recordSwitch } from "../../observe/off-times.ts";
import type { Db } from "../../store/engine/db.ts";
import { applyAllChanges, makeProvenance, planChange } from "../../store/journal/journal.ts";
import { settingNoun } from "../../store/nouns/settings.ts";
import { openStoreInHome } from "../../store/open.ts";
import { formatUndoHint } from "./shapes.ts";
import { ownMachineName } from "../../domain/work/own-machine.ts";

/** What a command that changes settings says about the journal. */
export const journalledShape = {
  changes: z.array(z.number()).describe("numbers of the changes in the journal"),
  unjournalled: z.string().nullable().describe("why the change is not in the journal"),
};

export type JournalledSettings = z.infer<z.ZodObject<typeof journalledShape>>;

/**
 * Writes the settings to the file, then the journal. The file cannot be part of the database's transaction: if the database
 * cannot be reached, the settings are changed all the same, and `unjournalled` says so.
 */
export async function changeSettings(
  ctx: Context,
  cause: string,
  changes: readonly (readonly [path: string, value: unknown])[],
): Promise<JournalledSettings> {
  if (changes.length === 0) return { changes: [], unjournalled: null };
  const { home } = ctx.config;
  const members = [...new Set(changes.flatMap(([path]) => journalledMember(path) ?? []))];
  const machine = isSharedMind(ctx.config) ? ownMachineName(ctx.config) : null;
  const read = () =>
    new Map(
      members.map((member) => {
        const id = toSettingSubject(member, machine);
        return [id, toSettingState(id, readSettingMember(home, member))];
      }),
    );
  const before = read();
  writeSettings(home, changes);
  const after = read();
  const changed = [...before.keys()].filter((id) => changedFields(pair(before, after, id)).length > 0);
  if (members.length === 0)
    return {
      changes: [],
      unjournalled: "the journal is in the database, so it has no line about which database is used",
    };
  if (changed.length === 0) return { changes: [], unjournalled: null };
  return journal(ctx, (db) => {
    const byHand = makeProvenance(ctx, { kind: "person", id: "config.json" }, "as it was before");
    const by = makeProvenance(ctx, cause);
    // The file may have been edited by hand, or before the journal kept settings: that is a change of its own.
    const planned = changed.flatMap((id) => [
      planChange(settingNoun, id, byHand, () => before.get(id) ?? null),
      planChange(settingNoun, id, by, () => after.get(id) ?? null),
    ]);
    return applyAllChanges(db, planned);
  });
}

function pair(before: ReadonlyMap<string, SettingState | null>, after: typeof before, id: string) {
  return { before: before.get(id) ?? null, after: after.get(id) ?? null };
}

async function journal(
  ctx: Context,
  work: (db: Db) => Promise<readonly Change<object>[]>,
): Promise<JournalledSettings> {
  try {
    const made = await withJournal(ctx, work);
    return { changes: made.filter(({ cause }) => cause.kind !== "person").map(({ id }) => id), unjournalled: null };
  } catch (error) {
    if (!(error instanceof OldhandError)) throw error;
    return { changes: [], unjournalled: error.message };
  }
}

/** A command that needs only the settings has no open database. */
async function withJournal<T>(ctx: Context, work: (db: Db) => Promise<T>): Promise<T> {
  if (ctx.isConfigOnly !== true) return work(ctx.db);
  const { home, database, policy, providers } = ctx.config;
  requireDatabase(loadConfig({ home, env: providers.env }));
  const store = await openStoreInHome(home, {
    ...{ database, busyMs: policy.store.busySeconds * 1_000, networkFile: policy.store.networkFile },
  });
  try {
    return await work(store.db);
  } finally {
    await store.close();
  }
}

/** Refuses to undo a change of settings if the file has other values since, or if an old value is a secret. */
export async function requireSettingAsLeft({ db, config }: Context, change: Change): Promise<void> {
  const { machine, member } = parseSettingSubject(change.subject);
  if (machine !== null && machine !== ownMachineName(config))
    throw new OldhandError(
      "refused",
      `change ${change.id} is of the settings of ${machine}, and this is another machine`,
      {
        hint: `oldhand undo ${change.id} undoes it there; nothing was changed`,
      },
    );
  const left = await settingNoun.read(db, change.subject);
  const now = toSettingState(change.subject, readSettingMember(config.home, member));
  const edited = changedFields({ before: left, after: now }).filter((field) => changedFields(change).includes(field));
  if (edited.length > 0)
    throw new OldhandError("refused", `change ${change.id} cannot be undone: config.json was edited since then`, {
      hint: `${edited.map((field) => nameSetting(member, field)).join(", ")} ${edited.length === 1 ? "has another value" : "have other values"} there now; nothing was changed`,
    });
  const hidden = changedFields(change).filter((field) => isHiddenValue(change.before?.[field]));
  if (hidden.length > 0)
    throw new OldhandError("refused", `change ${change.id} cannot be undone: its old value was a secret`, {
      hint: "secrets are not stored; set it again: oldhand config set PATH VALUE",
    });
}

/** Writes what an undo restored to the file. */
export function restoreSettings({ config, clock }: Context, { subject, before, after }: Change<object>): void {
  writeSettings(
    config.home,
    changedSettings(subject, { before: before as Change["before"], after: after as Change["after"] }),
  );
  if (["off", "offWorkspaces"].includes(parseSettingSubject(subject).member))
    recordSwitch(config.home, loadConfig({ home: config.home, env: {} }).off, clock.now());
}

/** True if two changes of settings touch different ones, so that either can be undone alone. */
export function touchOtherSettings(later: Change, to: Change): boolean {
  if (later.noun !== settingNoun.name || to.before === null) return false;
  const own = changedFields(to);
  return changedFields(later).every((field) => !own.includes(field));
}

/** Empty, or a line below what was done. */
export function formatJournalled({ changes }: Pick<JournalledSettings, "changes">): string {
  return changes.length === 0 ? "" : `\n${formatUndoHint(changes)}`;
}

export function notesOfJournal({ unjournalled }: Pick<JournalledSettings, "unjournalled">): readonly string[] {
  return unjournalled === null ? [] : [`the change is not in the journal and cannot be undone: ${unjournalled}`];
}
