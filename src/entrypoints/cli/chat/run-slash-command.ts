import { existsSync } from "node:fs";
import { relative } from "node:path";
import type { Context } from "../../../context.ts";
import { requireUsableModel } from "../../../converse/session/require-model.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import { describeCover } from "../../../domain/approval/describe-cover.ts";
import { listStandingApprovals } from "../../../store/chat/approvals.ts";
import { formatModelRef } from "../../../domain/model/model-ref.ts";
import { type ChatMode, chatModes, describeMode } from "../../../domain/settings/chat-mode.ts";
import { OldhandError } from "../../../lib/errors.ts";
import { oneLine, plural } from "../../../lib/text.ts";
import { invokeChecked } from "../../../invoke.ts";
import { operations } from "../../../operations.ts";
import { explainTypedModel } from "../parts/explain-typed-model.ts";
import { parseInput } from "../parts/operation-input.ts";
import { findMeantWord } from "../parts/meant-word.ts";
import { typedPart } from "../../../domain/turn/message-data.ts";
import type { ChatUpdate } from "./chat-update.ts";
import { exportChat, isExportOf } from "./export-chat.ts";
import { formatSlashHelp } from "./slash-commands.ts";

export interface SlashParts {
  readonly ctx: Context;
  readonly session: ChatSession;
  /** True while a turn runs. */
  readonly isBusy: boolean;
  /** Files that /export wrote while the chat is open: no other program's. */
  readonly exports: Set<string>;
  show(update: ChatUpdate): void;
}

/** Runs a command of a chat and shows its result. Throws an OldhandError that names what is wrong. */
export async function runSlashCommand(
  parts: SlashParts,
  { name, rest }: { readonly name: string; readonly rest: string },
): Promise<void> {
  const { ctx, session, show } = parts;
  const notice = (text: string) => show({ kind: "piece", piece: { kind: "notice", text } });
  switch (name) {
    case "help":
      return notice(formatSlashHelp());
    case "quit":
      return show({ kind: "leave" });
    case "compact":
      throw new OldhandError("conflict", "a turn is running", { hint: "it compacts by itself when needed" });
    case "undo":
      return undoTurn(parts, notice);
    case "mode":
      return changeMode(ctx, session, rest, notice);
    case "model":
      return changeModel(ctx, session, rest, notice);
    case "cost":
      return notice(formatCost(session));
    case "export":
      return notice(`Written to ${await writeExport(parts, rest)}`);
    case "memory":
      return notice(await listOr(NO_MEMORIES, ctx, rest === "" ? "memories list" : "recall", rest));
    case "rules":
      return notice(await listOr(NO_RULES, ctx, rest === "" ? "rules list" : "rules show", rest));
    case "sessions":
      return notice(
        `${await (rest === "" ? listLatestSessions(ctx) : runOperationLine(ctx, "sessions search", rest))}\nTo go on with one that begins with chat_: oldhand chat --resume ID`,
      );
    default:
      throw new OldhandError("usage", `there is no command /${name}`, { hint: "/help lists the commands" });
  }
}

/** If there is nothing to list, what a chat can do about it: no other command is named. */
async function listOr(none: string, ctx: Context, name: string, rest: string): Promise<string> {
  const text = await runOperationLine(ctx, name, rest);
  return rest === "" && /^No (?:memories\.|rules yet\.)/.test(text) ? none : text;
}

const NO_MEMORIES = "No memories yet. Say what to remember. /memory TEXT also searches earlier sessions.";
const NO_RULES = "No rules yet. oldhand learns them from this chat, and from other agents after `oldhand install`.";

async function writeExport({ ctx, session, exports }: SlashParts, typed: string): Promise<string> {
  const path = await exportChat(ctx, session, typed);
  exports.add(path);
  return path;
}

async function undoTurn({ session, isBusy, exports, show }: SlashParts, notice: (text: string) => void): Promise<void> {
  if (isBusy) throw new OldhandError("conflict", "a turn is running", { hint: "stop it with Ctrl-C first" });
  const undone = await session.undo();
  if (undone.kind === "nothing") return notice("There is nothing to undo.");
  if (undone.kind === "refused")
    throw new OldhandError(
      "conflict",
      `You or a program edited these files after the turn: ${undone.changed.join(", ")}. Nothing was undone.`,
      { hint: "Save your edits elsewhere, restore the files, then /undo." },
    );
  const shown = (paths: readonly string[]) =>
    paths.map((path) => `${relative(session.cwd, path) || path}${existsSync(path) ? "" : " (not there)"}`).join(", ");
  const files = undone.files.length === 0 ? "" : `\nFiles as before: ${shown(undone.files)}`;
  const strangers = (undone.others ?? []).filter((path) => !exports.has(path) && !isExportOf(session, path));
  const others =
    strangers.length === 0
      ? ""
      : `\nNot taken back, because a command or another program changed or deleted them: ${shown(strangers)}`;
  const typed = typedPart(undone.text);
  notice(`Taken back: "${oneLine(typed, 60)}"${files}${others}`);
  show({ kind: "draft", text: typed });
}

async function changeMode(
  ctx: Context,
  session: ChatSession,
  typed: string,
  notice: (text: string) => void,
): Promise<void> {
  if (typed === "") return notice([formatModes(session.mode()), ...(await listInForce(ctx, session))].join("\n"));
  const mode = chatModes.find((one) => one === typed);
  if (mode === undefined) {
    const meant = findMeantWord(typed, chatModes);
    throw new OldhandError("usage", `"${typed}" is not a mode`, {
      hint: meant === null ? `one of ${chatModes.join(", ")}` : `did you mean ${meant}?`,
    });
  }
  await session.setMode(mode);
  notice([`Mode: ${mode} (${describeMode[mode]})`, ...(await listInForce(ctx, session))].join("\n"));
}

/** What runs without a question because of an earlier yes, whatever the mode says. */
async function listInForce({ db }: Pick<Context, "db">, { id, workspace }: ChatSession): Promise<readonly string[]> {
  const standing = (await listStandingApprovals(db, { limit: MOST_STANDING })).filter((one) =>
    one.reach === "session" ? one.session === id : one.workspace === null || one.workspace === workspace,
  );
  if (standing.length === 0) return [];
  return [
    "Also allowed without a question:",
    ...standing.map(
      (one) =>
        `  ${one.reach === "session" ? "for this session" : "always"}: ${describeCover(one.action)} (to take it back: oldhand approvals revoke ${one.id})`,
    ),
  ];
}

const MOST_STANDING = 200;

function formatModes(now: ChatMode): string {
  const others = chatModes.filter((mode) => mode !== now);
  const width = Math.max(...others.map((mode) => mode.length));
  const lines = others.map((mode) => `  /mode ${mode.padEnd(width)}  ${describeMode[mode]}`);
  return [`The mode is ${now}: ${describeMode[now]}.`, "To change it:", ...lines].join("\n");
}

async function changeModel(
  ctx: Context,
  session: ChatSession,
  typed: string,
  notice: (text: string) => void,
): Promise<void> {
  if (typed === "") {
    const now = session.model() ?? `the router chooses (last: ${session.usage().model ?? "none yet"})`;
    return notice(`Model: ${now}\nTo change it: /model ${listModelNames(ctx).join(", /model ")}`);
  }
  if (typed === "auto") {
    await session.setModel(null);
    return notice("Model: the router chooses");
  }
  await requireUsableModel(ctx, typed);
  await session.setModel(typed);
  notice([`Model: ${typed}`, ...(await explainTypedModel(ctx, typed))].join("\n"));
}

/** The models of the settings, and `auto`. */
export function listModelNames({ config: { providers } }: Pick<Context, "config">): readonly string[] {
  const refs = [providers.defaultModel, ...providers.models].filter((one) => one !== null);
  return [...new Set([...refs.map(formatModelRef), "auto"])];
}

function formatCost(session: ChatSession): string {
  const { calls, tokensIn, tokensOut, tokensCached, cost, contextTokens, contextWindow } = session.usage();
  const share = tokensIn === 0 ? 0 : Math.round((100 * tokensCached) / tokensIn);
  const window = contextWindow === null ? "" : ` of ${contextWindow}`;
  return [
    `Cost: $${cost.toFixed(4)} for ${plural(calls, "model call")}`,
    `Tokens: ${tokensIn} in (${share} % cached), ${tokensOut} out`,
    `Context: ${contextTokens}${window} tokens`,
  ].join("\n");
}

/** As many as fit on a screen. */
async function listLatestSessions(ctx: Context): Promise<string> {
  return `${await runOperation(ctx, "sessions list", ["--limit", "8"])}
These are the latest. All: oldhand sessions list`;
}

/** What was typed after a command is words, never flags. */
function runOperationLine(ctx: Context, name: string, rest: string): Promise<string> {
  return runOperation(ctx, name, rest === "" ? [] : ["--", ...rest.split(/\s+/)]);
}

/** Runs an operation of the command line with these words and returns its text. */
async function runOperation(ctx: Context, name: string, words: readonly string[]): Promise<string> {
  const operation = operations.find((one) => one.name === name && one.surfaces.includes("cli"));
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  const { input } = parseInput(operation, [...words]);
  if (input === null) throw new Error(`${name} has no input`);
  return operation.render(await invokeChecked(ctx, operation, input), input);
}
