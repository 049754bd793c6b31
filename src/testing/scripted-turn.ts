import type { ScriptedCall, ScriptedUsage, SpokenTurn, TurnExtras } from "./scripted-server.ts";

export function callsOf(turn: SpokenTurn): readonly ScriptedCall[] {
  return "calls" in turn ? turn.calls : [];
}

export function tokensOf({ usage = {} }: TurnExtras): Required<ScriptedUsage> {
  return { in: 100, out: 20, cached: 0, cacheWrite: 0, reasoning: 0, ...usage };
}

/** Splits a text into the turn's number of pieces, none of them empty. */
export function piecesOf(text: string, { pieces = 1 }: TurnExtras): readonly string[] {
  const size = Math.max(1, Math.ceil(text.length / pieces));
  return text === ""
    ? []
    : Array.from({ length: Math.ceil(text.length / size) }, (_, at) => text.slice(at * size, (at + 1) * size));
}
