import type { ApiResult, Input, OperationRoute, Output, ApiProblem } from "./api-result.ts";
import { refuseToken, getToken } from "./token.ts";

export async function callOperation<O extends OperationRoute>(
  operation: O,
  input: Input<O>,
  stop?: AbortSignal,
): Promise<ApiResult<Output<O>>> {
  return postJson(operation, input, stop);
}

/** Calls a route below /api that may be no operation. */
export async function postJson<T>(path: string, input: unknown, stop?: AbortSignal): Promise<ApiResult<T>> {
  const response = await send(path, input, stop);
  if (response === null) return { kind: "failed", problem: unreachable };
  if (response.status === 401) refuseToken();
  const body = await readBody(response);
  if (response.ok && body !== null) return { kind: "done", value: body as T };
  return { kind: "failed", problem: parseProblem(body, response.status) };
}

export function makeAuthHeader(): Record<string, string> {
  return { Authorization: `Bearer ${getToken() ?? ""}` };
}

const unreachable: ApiProblem = {
  code: "unreachable",
  message: "The oldhand server does not answer.",
  hint: "Start it again with `oldhand serve` and open the address it prints.",
};

async function send(path: string, input: unknown, stop: AbortSignal | undefined): Promise<Response | null> {
  try {
    return await fetch(`/api/${path}`, {
      method: "POST",
      headers: { ...makeAuthHeader(), "Content-Type": "application/json" },
      body: JSON.stringify(input),
      signal: stop ?? null,
    });
  } catch {
    // fetch rejects only if there was no response or the request was aborted; it does not say which.
    return null;
  }
}

async function readBody(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    // Not JSON: another program answered. The HTTP status still tells success from failure.
    return null;
  }
}

export function parseProblem(body: unknown, status: number): ApiProblem {
  const error = field(body, "error");
  const code = field(error, "code");
  const message = field(error, "message");
  const hint = field(error, "hint");
  return {
    code: typeof code === "string" ? code : `http-${status}`,
    message: typeof message === "string" ? message : `The server answered with status ${status}.`,
    hint: typeof hint === "string" ? hint : null,
  };
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}
