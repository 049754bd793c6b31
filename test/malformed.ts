import type { HookEvent } from "../src/observe/protocol/hook-event.ts";

/**
 * Payloads as a broken client, another version or an attacker might send them: fixtures with random changes, the same
 * ones for the same seed.
 */
export function* malformed(payloads: readonly unknown[], count: number, seed = 1): Iterable<unknown> {
  const next = numbers(seed);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(next() * from.length)];
  for (let i = 0; i < count; i++) {
    let payload = structuredClone(pick(payloads));
    for (let changes = Math.floor(next() * 4); changes >= 0; changes--) payload = changed(payload, next, pick);
    yield payload;
  }
}

/** What the code that stores and answers relies on. */
export function isWellFormed(seen: HookEvent): boolean {
  const nullable = [seen.cwd, seen.model, seen.agent, seen.transcript];
  const common = typeof seen.session === "string" && seen.session !== "" && nullable.every(isTextOrNull);
  switch (seen.moment) {
    case "prompt":
      return common && seen.prompt !== "" && isTextOrNull(seen.promptId);
    case "before-call":
      return common && isCall(seen);
    case "after-call":
      return (
        common &&
        isCall(seen) &&
        typeof seen.ok === "boolean" &&
        isTextOrNull(seen.text) &&
        [seen.exitCode, seen.durationMs].every((value) => value === null || Number.isInteger(value))
      );
    case "stop":
      return common && typeof seen.again === "boolean";
    case "session-start":
      return common && isTextOrNull(seen.source);
    case "session-end":
      return common && isTextOrNull(seen.reason);
  }
}

function isCall(seen: { readonly tool: string; readonly callId: string | null; readonly input: unknown }): boolean {
  return typeof seen.tool === "string" && seen.tool !== "" && isTextOrNull(seen.callId) && seen.input !== undefined;
}

function isTextOrNull(value: unknown): boolean {
  return value === null || typeof value === "string";
}

const strange: readonly unknown[] = [
  null,
  true,
  0,
  -1.5,
  1e300,
  "",
  "\0",
  "\ud800",
  "/",
  "Exit Code: 99999999999999999999",
  "x".repeat(100_000),
  [],
  [null, 1, "a", {}],
  {},
  { text: 1 },
  { __proto__: null, toString: "x" },
  [[[[[[]]]]]],
];

/** Replaces, removes or wraps one part of the payload. */
function changed(payload: unknown, next: () => number, pick: <T>(from: readonly T[]) => T | undefined): unknown {
  if (typeof payload !== "object" || payload === null || next() < 0.02) return structuredClone(pick(strange));
  const holder = payload as Record<string, unknown>;
  const key = pick(Object.keys(holder));
  if (key === undefined) return structuredClone(pick(strange));
  const how = next();
  if (how < 0.4) holder[key] = changed(holder[key], next, pick);
  else if (how < 0.7) holder[key] = structuredClone(pick(strange));
  else if (how < 0.9) delete holder[key];
  else holder[key] = [holder[key], holder[key]];
  return holder;
}

/** Mulberry32. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
