import { statSync } from "node:fs";
import type { Hono, Context as Request } from "hono";
import { z } from "zod";
import type { Context } from "../../context.ts";
import { chatModes } from "../../domain/settings/chat-mode.ts";
import { OldhandError } from "../../lib/errors.ts";
import { checkBody } from "./check-body.ts";
import { listWorkspaces } from "../../store/sessions/workspaces.ts";
import type { OpenChats } from "./open-chats.ts";

const session = z.string().min(1);

const sendInput = z.object({
  session: session.nullable(),
  workspace: z.string().min(1).optional(),
  mode: z.enum(chatModes).optional(),
  model: z.string().min(1).optional(),
  text: z.string().trim().min(1),
  meanwhile: z.enum(["steer", "queue"]).default("queue"),
});
const ofSession = z.object({ session });
const ofMessage = z.object({ session, message: z.string().min(1) });
const modeInput = z.object({ session, mode: z.enum(chatModes) });
const modelInput = z.object({ session, model: z.string().min(1).nullable() });

/**
 * Chat with oldhand's own agent, for the dashboard. Under /api: the owner's token opens it, the token for models does not.
 * Answers are short documents; what happens in the session comes by /api/live?session=ID.
 */
export function addChatRoutes(
  app: Hono,
  { mind, chats, readBody }: ChatRouteParts & { readonly readBody: (request: Request) => Promise<unknown> },
): void {
  const route = <Input extends z.ZodObject>(
    name: string,
    input: Input,
    act: (given: z.output<Input>) => Promise<object | void>,
  ) =>
    app.post(`/api/chat/${name}`, async (request) => {
      const given = checkBody({ input }, await readBody(request), `POST ${request.req.path}`);
      return request.json((await act(given as unknown as z.output<Input>)) ?? {});
    });
  route("send", sendInput, async ({ workspace, ...message }) =>
    chats.send({ ...message, cwd: message.session === null ? await requireWorkspace(mind, workspace) : "" }),
  );
  route("send-waiting", ofSession, (given) => chats.sendWaiting(given.session));
  route("remove-waiting", ofMessage, (given) => chats.removeWaiting(given.session, given.message));
  route("stop", ofSession, (given) => chats.stop(given.session));
  route("undo", ofSession, (given) => chats.undo(given.session));
  route("compact", ofSession, (given) => chats.compact(given.session));
  route("mode", modeInput, (given) => chats.setMode(given.session, given.mode));
  route("model", modelInput, (given) => chats.setModel(given.session, given.model));
}

export interface ChatRouteParts {
  readonly mind: Context;
  readonly chats: OpenChats;
}

/** A page names a folder in which an agent has worked before, and no other. */
async function requireWorkspace({ db }: Context, typed: string | undefined): Promise<string> {
  if (typed === undefined) throw new OldhandError("usage", "workspace is missing");
  const known = (await listWorkspaces(db, MANY)).some(({ workspace }) => workspace === typed);
  const isFolder = known && statSync(typed, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder) return typed;
  throw new OldhandError(
    "not-found",
    known ? `${typed} is no folder any more` : `no agent has worked in ${typed} yet`,
    {
      hint: "begin there in a terminal: oldhand chat",
    },
  );
}

const MANY = 10_000;
