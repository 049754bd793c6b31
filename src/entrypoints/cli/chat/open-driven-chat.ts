import type { Context } from "../../../context.ts";
import { type ChatOptions, openChatSession } from "../../../converse/session/open-chat-session.ts";
import { requireUsableModel } from "../../../converse/session/require-model.ts";
import type { ChatSession } from "../../../converse/turn/chat-session.ts";
import { isRecord, tryParseJson } from "../../../lib/json.ts";
import { listTypedMessages } from "../../../store/chat/chat-entries.ts";
import { explainTypedModel } from "../parts/explain-typed-model.ts";
import { typedPart } from "../../../domain/turn/message-data.ts";
import { type DrivenChat, driveChat, type ShowUpdate } from "./drive-chat.ts";
import { listModelNames } from "./run-slash-command.ts";
import { listShownPieces, SHOWN } from "./shown-entries.ts";

/** Opens a session for a surface and reports `ready`. Throws an OldhandError if it cannot be opened or no model can be used. */
export async function openDrivenChat(
  ctx: Context,
  options: ChatOptions,
  show: ShowUpdate,
): Promise<{ readonly session: ChatSession; readonly chat: DrivenChat }> {
  const session = await openChatSession(ctx, options);
  try {
    await requireUsableModel(ctx, session.model());
    const chat = driveChat(ctx, session, show);
    const history = await listHistory(ctx, session.workspace);
    const models = listModelNames(ctx);
    const last = session.entries().length;
    show({ kind: "ready", session: session.id, last, ...listShownPieces(session.entries(), SHOWN), history, models });
    await chat.greet();
    for (const text of await explainTypedModel(ctx, options.model))
      show({ kind: "piece", piece: { kind: "notice", text } });
    return { session, chat };
  } catch (error) {
    await session.close();
    throw error;
  }
}

async function listHistory({ db }: Pick<Context, "db">, workspace: string): Promise<readonly string[]> {
  const rows = await listTypedMessages(db, workspace, HISTORY);
  const texts = rows.flatMap(({ data }) => {
    const details = tryParseJson(data);
    return isRecord(details) && typeof details["text"] === "string" ? [typedPart(details["text"])] : [];
  });
  return [...new Set(texts)];
}

const HISTORY = 100;
