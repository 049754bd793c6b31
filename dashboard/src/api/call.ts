import type { Answer, Input, Operation, Output, Problem } from "./answer.ts";
import { refuseToken, token } from "./token.ts";

export async function call<O extends Operation>(operation: O, input: Input<O>): Promise<Answer<Output<O>>> {
  const response = await send(operation, input);
  if (response === null) return { kind: "failed", problem: unreachable };
  if (response.status === 401) refuseToken();
  const body = await bodyOf(response);
  if (response.ok && body !== null) return { kind: "done", value: body as Output<O> };
  return { kind: "failed", problem: problemIn(body, response.status) };
}

export function bearer(): Record<string, string> {
  return { Authorization: `Bearer ${token() ?? ""}` };
}

const unreachable: Problem = {
  code: "unreachable",
  message: "The oldhand server does not answer.",
  hint: "Start it again with `oldhand serve` and open the address it prints.",
};

async function send(operation: Operation, input: unknown): Promise<Response | null> {
  try {
    return await fetch(`/api/${operation}`, {
      method: "POST",
      headers: { ...bearer(), "Content-Type": "application/json" },
      body: JSON.stringify(input),
    });
  } catch {
    // fetch rejects only when no answer came at all; which of the many reasons it was, it hides.
    return null;
  }
}

async function bodyOf(response: Response): Promise<unknown> {
  try {
    return await response.json();
  } catch {
    // Not JSON: something else than oldhand answered. The status still says what happened.
    return null;
  }
}

export function problemIn(body: unknown, status: number): Problem {
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
