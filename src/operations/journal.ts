import { z } from "zod";
import type { Context } from "../context.ts";
import { followsFrom } from "../domain/rule/by-law.ts";
import { OldhandError } from "../lib/errors.ts";
import { parseTime } from "../lib/clock.ts";
import { parseSettingSubject } from "../domain/journalled-settings.ts";
import { isRecord } from "../lib/json.ts";
import { oneLine } from "../lib/text.ts";
import { defineOperation } from "../operation.ts";
import { syncIdentityFiles } from "../recall/identity/identity-files.ts";
import {
  makeProvenance,
  listChangesOf,
  getChange,
  listChanges,
  findLastStandingChange,
  hasJustForgotten,
  readStateAt,
  undoChange,
} from "../store/journal/journal.ts";
import { settingNoun } from "../store/nouns/settings.ts";
import { nouns } from "../store/nouns/nouns.ts";
import { formatFactLine, factShape, findFactOut } from "./sessions/facts.ts";
import type { Change } from "../domain/journal.ts";
import { changeOut, changeShape, limitInput, timeInput, workspaceInput } from "./shared/shapes.ts";
import { rangeInput, readRange } from "./shared/time-range.ts";
import { requireVisible, isStateVisible } from "./shared/visibility.ts";
import { describeChange } from "./shared/describe-change.ts";
import { requireSettingAsLeft, restoreSettings, touchOtherSettings } from "./shared/change-settings.ts";
import { resolveAnyId } from "./shared/resolve-id.ts";

const changeId = z.coerce.number<number>().int().min(1).describe("the change's number, as in `oldhand history`");

const historyOf = defineOperation({
  name: "history",
  summary: "Lists every change of the mind, newest first: what changed, by whom and why.",
  effect: "read",
  input: z.object({
    limit: limitInput(50),
    before: z.coerce.number<number>().int().optional().describe("only changes with a smaller number"),
    workspace: workspaceInput("only of what holds or happened in this folder"),
    ...rangeInput,
  }),
  output: z.object({ changes: z.array(changeShape) }),
  run: async (ctx, input) => ({ changes: (await listNarrowedChanges(ctx, input)).map(changeOut) }),
  render: ({ changes }) => (changes.length === 0 ? "Nothing has changed yet." : changes.map(formatChange).join("\n")),
});

/** At most this many changes are searched for those of one folder, in pages. */
const MAX_LOOKED_THROUGH = 5_000;
const HISTORY_PAGE = 500;

async function listNarrowedChanges(
  ctx: Context,
  input: {
    readonly limit: number;
    readonly before?: number | undefined;
    readonly workspace?: string | undefined;
    readonly since?: string | undefined;
    readonly until?: string | undefined;
  },
): Promise<readonly Change[]> {
  const { limit, workspace } = input;
  const range = readRange(input);
  if (workspace === undefined)
    return (await listChanges(ctx.db, { ...range, before: input.before, limit })).filter((one) =>
      isChangeVisible(ctx, one),
    );
  const isThere = (one: Change) => isChangeVisible(ctx, one) && isChangeVisible({ within: [workspace] }, one);
  const found: Change[] = [];
  let { before } = input;
  for (let looked = 0; looked < MAX_LOOKED_THROUGH && found.length < limit; looked += HISTORY_PAGE) {
    const page = await listChanges(ctx.db, { ...range, before, limit: HISTORY_PAGE });
    found.push(...page.filter(isThere));
    before = page.at(-1)?.id;
    if (page.length < HISTORY_PAGE) break;
  }
  return found.slice(0, limit);
}

const why = defineOperation({
  name: "why",
  summary: "Shows all changes of one thing, with before and after.",
  effect: "read",
  input: z.object({
    id: z
      .string()
      .min(1)
      .describe("the id of a rule or of anything else, the beginning of an id, or the number of a change"),
  }),
  positional: ["id"],
  output: z.object({
    changes: z.array(changeShape),
    fact: factShape
      .nullable()
      .describe("set if the id is a fact's; a fact has no changes, only the call that showed it"),
  }),
  run: async (ctx, input) => {
    const { db } = ctx;
    if (/^\d{1,15}$/.test(input.id)) {
      const one = await getChange(db, Number(input.id));
      if (one) {
        requireVisible(isChangeVisible(ctx, one), `change ${one.id}`);
        return { changes: [changeOut(one)], fact: null };
      }
    }
    const id = await resolveAnyId(db, input.id);
    for (const noun of nouns) {
      const changes = await listChangesOf(db, noun.name, id);
      if (changes.length === 0) continue;
      requireVisible(
        changes.every((one) => isChangeVisible(ctx, one)),
        `${noun.name} ${id}`,
      );
      return { changes: changes.map(changeOut), fact: null };
    }
    const fact = await findFactOut(ctx, input.id);
    if (fact !== null) return { changes: [], fact };
    throw new OldhandError("not-found", `nothing has the id ${input.id}`, {
      hint: "oldhand history lists all changes",
    });
  },
  render: ({ changes, fact }) =>
    fact !== null
      ? [
          formatFactLine(fact),
          `in ${fact.workspace}, first seen ${fact.first}, last ${fact.last}`,
          ...(fact.ref === null ? [] : [`shown by oldhand sessions show ${fact.ref.session}, event ${fact.ref.seq}`]),
        ].join("\n  ")
      : changes.map((change) => [formatChange(change), ...describeChange(change)].join("\n  ")).join("\n"),
});

const undoOne = defineOperation({
  name: "undo",
  on: "change",
  summary:
    "Undoes one change, by default your last one, with what followed from it (counts, a used override). If later decisions depend on it, it is refused and names the commands.",
  effect: "write",
  input: z.object({
    id: changeId.optional().describe("the change's number, as in `oldhand history`; your last change if omitted"),
  }),
  positional: ["id"],
  output: z.object({ change: changeShape }),
  isOwnerOnly: () => true,
  run: async (ctx, input) => {
    const id = input.id ?? (await findLastChange(ctx));
    const target = await getChange(ctx.db, id);
    const isSetting = target?.noun === settingNoun.name;
    if (target !== null && isSetting && target.undoneBy === null) await requireSettingAsLeft(ctx, target);
    // A person's decision can be undone even if maintenance or a hook has changed the subject since.
    const made = await undoChange(
      ctx.db,
      id,
      makeProvenance(ctx, "undo"),
      (later, to) => followsFrom(later, to) || touchOtherSettings(later, to),
    );
    if (isSetting) restoreSettings(ctx, made);
    if (made.noun === "identity") await syncIdentityFiles(ctx);
    return { change: changeOut(made) };
  },
  render: ({ change }) =>
    [
      formatChange(change),
      ...listTexts(change.before ?? change.after),
      ...(describeSwitch(change) ?? describeChange(change)),
    ].join("\n  "),
});

/** What the undone change of the off switch means; null for other changes. */
function describeSwitch({ noun, subject, after }: z.infer<typeof changeShape>): readonly string[] | null {
  if (noun !== settingNoun.name || parseSettingSubject(subject).member !== "off") return null;
  const isOff = isRecord(after) && after["value"] === true;
  return [isOff ? "oldhand is off now. To switch it on: oldhand on" : "oldhand is on again."];
}

/** The subject's text, so that the user need not look up its id. */
function listTexts(state: unknown): readonly string[] {
  const words = isRecord(state) ? (state["text"] ?? state["what"]) : null;
  return typeof words === "string" ? [oneLine(words)] : [];
}

async function findLastChange({ db, actor }: Pick<Context, "db" | "actor">): Promise<number> {
  const id = await findLastStandingChange(db, actor);
  if (id === null)
    throw new OldhandError("not-found", "there is no change of yours to undo", {
      hint: "oldhand history lists all changes",
    });
  if (await hasJustForgotten(db, actor)) {
    const older = await getChange(db, id);
    throw new OldhandError("refused", "what was forgotten is gone; a forget cannot be undone", {
      hint: `your change before it is ${id}${older === null ? "" : ` (${changeOut(older).summary})`}: oldhand undo ${id} undoes that one`,
    });
  }
  return id;
}

const at = defineOperation({
  name: "at",
  summary: "Shows the mind as it was at a given time.",
  effect: "read",
  input: z.object({ time: timeInput.describe("such as 2026-01-31T12:00:00Z") }),
  positional: ["time"],
  output: z.object({ state: z.array(z.object({ noun: z.string(), id: z.string(), state: z.unknown() })) }),
  run: async (ctx, input) => {
    const found = [...(await readStateAt(ctx.db, parseTime(input.time) ?? 0))].map(([key, state]) => ({
      noun: key.slice(0, key.indexOf(" ")),
      id: key.slice(key.indexOf(" ") + 1),
      state,
    }));
    return { state: found.filter(({ noun, state }) => isStateVisible(ctx, noun, state)) };
  },
  render: ({ state }) =>
    state.length === 0
      ? "The mind was empty at that time."
      : state.map((one) => `${one.noun} ${one.id}  ${JSON.stringify(one.state)}`).join("\n"),
});

/** Both the old and the new state must be visible to the agent. */
function isChangeVisible(
  ctx: Pick<Context, "within">,
  { noun, before, after }: { readonly noun: string; readonly before: unknown; readonly after: unknown },
): boolean {
  return isStateVisible(ctx, noun, before) && isStateVisible(ctx, noun, after);
}

export const journalOperations = [historyOf, why, undoOne, at] as const;

function formatChange(change: z.infer<typeof changeShape>): string {
  const cause = [change.cause.kind, change.cause.id].filter(Boolean).join(" ");
  const note = [cause, change.cause.note].filter(Boolean).join(": ");
  return `${String(change.id).padStart(5)}  ${change.at}  ${change.actor}  ${change.summary}  (${note})${change.undoneBy === null ? "" : `  undone by ${change.undoneBy}`}`;
}
