import { Hono, type Context as Request } from "hono";
import { bodyLimit } from "hono/body-limit";
import { HTTPException } from "hono/http-exception";
import { streamSSE } from "hono/streaming";
import type { Context } from "../../context.ts";
import { OldhandError } from "../../lib/errors.ts";
import { invokeChecked, invokeStreamChecked } from "../../invoke.ts";
import type { Operation } from "../../operation.ts";
import { checkBody } from "./check-body.ts";
import { operations } from "../../operations.ts";
import { addAgentRoutes } from "./agents.ts";
import { bearerOf, isLoopbackName, isOwnOrigin, isToken } from "./allowed-requests.ts";
import type { Assets } from "./assets.ts";
import { addChatRoutes } from "./chat-routes.ts";
import { followChat } from "./follow-chat.ts";
import type { OpenChats } from "./open-chats.ts";
import { toEventStream, toEventStreamOnceBegun, toErrorBody } from "./event-stream.ts";

export interface HttpOptions {
  readonly mind: Context;
  readonly token: string;
  readonly assets: Assets;
  readonly chats: OpenChats;
  /** Calls `notify` after every commit; the returned function unsubscribes. */
  onChange(notify: () => void): () => void;
}

const HEARTBEAT_MS = 15_000;
const BETWEEN_TEXTS_MS = 40;

/**
 * The API and the dashboard, for this machine only. Refuses other host names, other sites' pages and requests without
 * a token.
 */
export function newHttpApp(serving: HttpOptions): Hono {
  const app = new Hono();
  app.use(async (request, next) => {
    await next();
    for (const [name, value] of Object.entries(safeHeaders)) request.res.headers.set(name, value);
  });
  app.use(async (request, next) => {
    if (!isLoopbackName(request.req.header("host")))
      return refuse(request, 421, "this server accepts only the hosts 127.0.0.1 and localhost");
    if (!isOwnOrigin(request.req.header("origin"), request.req.header("host")))
      return refuse(request, 403, "cross-site requests are refused");
    return next();
  });
  const { bodyBytes } = serving.mind.config.policy.serve;
  const tooLarge = (request: Request) =>
    refuse(
      request,
      413,
      `the request is larger than ${bodyBytes.toLocaleString("en-US")} bytes`,
      "oldhand config set serve.bodyBytes BYTES changes the limit",
    );
  const limit = bodyLimit({ maxSize: bodyBytes, onError: tooLarge });
  for (const paths of ["/api/*", "/agents/*"]) {
    app.use(paths, async (request, next) => {
      if (!isToken(bearerOf(request.req.header("authorization")), serving.token))
        return refuse(request, 401, "the token is missing or wrong", TOKEN_HINT);
      return next();
    });
    app.use(paths, limit);
  }
  app.get("/api/live", (request) => streamChanges(request, serving));
  for (const operation of operations.filter((one) => one.surfaces.includes("http"))) {
    const path = `/api/${operation.name.replaceAll(" ", "/")}`;
    app.post(path, (request) => replyToRequest(request, serving.mind, operation, readBody(request)));
  }
  addChatRoutes(app, { mind: serving.mind, chats: serving.chats, readBody });
  addAgentRoutes(app, {
    readBody,
    answer: (request, operation, raw) => replyToRequest(request, serving.mind, operation, raw),
  });
  app.all("/api/*", (request) => refuse(request, 404, "unknown operation", "oldhand --help lists all commands"));
  app.get("*", (request) => servePage(request, serving.assets));
  app.onError((error, request) => {
    if (error instanceof OldhandError) return request.json(toErrorBody(error), toHttpStatus(error));
    if (error instanceof HTTPException) return error.getResponse();
    process.stderr.write(`oldhand serve: ${error.stack ?? error.message}\n`);
    return request.json(toErrorBody(error), 500);
  });
  return app;
}

/** For a program, and for a person with a browser. */
const TOKEN_HINT =
  "send the header `authorization: Bearer TOKEN`; the token is in the file `token` of oldhand's home. In a browser, open the address that `oldhand serve` printed";

/** Returns one document, or a stream of events if the client accepts that. */
async function replyToRequest(request: Request, mind: Context, operation: Operation, raw: unknown): Promise<Response> {
  // Checked before the stream begins, so that invalid input gets its own status.
  const input = checkBody(operation, await raw, `${request.req.method} ${request.req.path}`);
  if (request.req.header("accept")?.includes("text/event-stream")) {
    const send = operation.pieces === "text" ? toEventStreamOnceBegun : toEventStream;
    return send(request, (gone) => invokeStreamChecked(withStopSignal(mind, gone), operation, input));
  }
  const ctx = withStopSignal(mind, request.req.raw.signal);
  return request.json((await invokeChecked(ctx, operation, input)) as object);
}

/** Stops the work if the client disconnects. */
function withStopSignal(mind: Context, gone: AbortSignal): Context {
  return { ...mind, signal: AbortSignal.any([mind.signal, gone]) };
}

/** Says when anything has changed. With `?session=ID&after=N` it also sends what happens in that chat after entry N. */
function streamChanges(request: Request, serving: HttpOptions): Response {
  const { session, after } = request.req.query();
  return streamSSE(request, async (stream) => {
    let pending = true;
    let woken = false;
    let wake = () => {};
    const rouse = () => {
      woken = true;
      wake();
    };
    const chat =
      session === undefined
        ? null
        : followChat(serving, { session, after: Number.parseInt(after ?? "", 10) || 0 }, rouse);
    const stop = serving.onChange(() => {
      pending = true;
      chat?.look();
      rouse();
    });
    stream.onAbort(() => {
      stop();
      chat?.stop();
      rouse();
    });
    while (!stream.aborted) {
      woken = false;
      if (pending) {
        pending = false;
        await stream.writeSSE({ event: "change", data: "{}" });
      }
      for await (const message of chat?.take() ?? []) await stream.writeSSE(message);
      // A model may write faster than a page can be drawn.
      if (chat !== null) await stream.sleep(BETWEEN_TEXTS_MS);
      if (woken || stream.aborted) continue;
      const isQuiet = await new Promise<boolean>((resolve) => {
        const timer = setTimeout(() => resolve(true), HEARTBEAT_MS);
        wake = () => {
          clearTimeout(timer);
          resolve(false);
        };
      });
      if (!isQuiet) continue;
      await stream.write(": still here\n\n");
      // The process that has the session may have died.
      chat?.look();
    }
  });
}

async function readBody(request: Request): Promise<unknown> {
  const type = request.req.header("content-type") ?? "";
  // A form or plain-text POST needs no preflight, so another site could send it; for JSON a browser asks first.
  if (type.split(";", 1)[0]?.trim().toLowerCase() !== "application/json")
    throw new OldhandError("input", "the body must be JSON, with content-type application/json");
  try {
    return await request.req.json();
  } catch (cause) {
    throw new OldhandError("input", "the body is not JSON", { cause });
  }
}

function servePage(request: Request, assets: Assets): Response {
  const file = assets.find(new URL(request.req.url).pathname);
  if (!file) return refuse(request, 404, "the dashboard is not built", "npm run build");
  return request.body(file.body, 200, {
    "content-type": file.type,
    "cache-control": file.immutable ? "public, max-age=31536000, immutable" : "no-cache",
  });
}

const safeHeaders = {
  "content-security-policy":
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
} as const;

function refuse(
  request: Request,
  status: 401 | 403 | 404 | 413 | 421,
  message: string,
  hint: string | null = null,
): Response {
  return request.json({ error: { code: "refused", message, hint } }, status);
}

function toHttpStatus(error: OldhandError): 400 | 402 | 404 | 409 | 502 | 503 {
  if (error.code === "not-found") return 404;
  if (error.code === "capped") return 402;
  if (error.code === "unreachable" || error.code === "unanswered") return 502;
  if (error.code === "refused" || error.code === "conflict") return 409;
  return error.code.startsWith("store-") ? 503 : 400;
}
