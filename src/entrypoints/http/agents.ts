import type { Hono, Context as Request } from "hono";
import type { Operation } from "../../operation.ts";
import { operations } from "../../operations.ts";

/** The endpoints of each agent, with their operations. */
const endpoints = [
  { method: "POST", path: "complete", operation: "agents complete" },
  { method: "POST", path: "feedback", operation: "agents feedback" },
  { method: "GET", path: "stats", operation: "agents stats" },
  { method: "GET", path: "health", operation: "agents health" },
] as const;

const listed = ["GET /agents", ...endpoints.map(({ method, path }) => `${method} /agents/NAME/${path}`)];

/** Runs an operation for a request, and returns one document, or a stream if the client accepts that. */
export type AnswerOperation = (request: Request, operation: Operation, raw: unknown) => Promise<Response>;

/** Named agents over HTTP. The name is in the path, the rest of the input in the body. */
export function addAgentRoutes(
  app: Hono,
  { answer, readBody }: { readonly answer: AnswerOperation; readonly readBody: (request: Request) => Promise<unknown> },
): void {
  for (const { method, path, operation: name } of endpoints) {
    const operation = findOperation(name);
    app.on(method, `/agents/:name/${path}`, async (request) => {
      const body = method === "POST" ? await readBody(request) : {};
      const raw = isObject(body) ? { ...body, agent: request.req.param("name") } : body;
      const answered = await answer(request, operation, raw);
      return path === "health" ? withHealthStatus(answered) : answered;
    });
  }
  app.get("/agents", (request) => answer(request, findOperation("agents list"), {}));
  const unknown = (request: Request) => {
    const error = { code: "not-found", message: "there is no such endpoint", hint: listed.join("; ") };
    return request.json({ error, endpoints: listed }, 404);
  };
  app.all("/agents", unknown);
  app.all("/agents/*", unknown);
}

function findOperation(name: string): Operation {
  const operation = operations.find((one) => one.name === name);
  if (operation === undefined) throw new Error(`there is no operation ${name}`);
  return operation;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Monitoring tools look only at the status, so an agent that is not ready gets 503. */
async function withHealthStatus(answered: Response): Promise<Response> {
  if (answered.headers.get("content-type")?.includes("application/json") !== true) return answered;
  const { ok } = (await answered.clone().json()) as { readonly ok: boolean };
  return ok ? answered : new Response(answered.body, { status: 503, headers: answered.headers });
}
