import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { noUsage } from "../../domain/model/usage.ts";
import type { ChatMessage, ChatPart } from "../../models/chat/chat.ts";
import { activeMessages, currentSystem, lastTurn, openCalls, openTurn, toSendable } from "./active-entries.ts";
import type { Entry, EntryDetails } from "./entry.ts";

function log(...details: readonly EntryDetails[]): readonly Entry[] {
  return details.map((one, at) => ({ session: "c1", seq: at + 1, at, ...one }));
}

const user = (turn: number, text: string): EntryDetails => ({ kind: "user", turn, text, inbox: null });
const note = (turn: number, text: string): EntryDetails => ({ kind: "note", turn, text });
const end = (turn: number): EntryDetails => ({ kind: "turn-end", turn, reason: "done", message: null });
const system = (text: string): EntryDetails => ({ kind: "system", text, hash: text, tools: [] });

function assistant(turn: number, text: string, ...calls: readonly string[]): EntryDetails {
  const parts: ChatPart[] = [
    ...(text === "" ? [] : [{ kind: "text", text } as const]),
    ...calls.map((id) => ({ kind: "tool-call", id, name: "read", input: {} }) as const),
  ];
  const answer = { call: "mc_1", model: "a/b", usage: noUsage, cost: 0, finish: "stop" };
  return { kind: "assistant", turn, message: { role: "assistant", parts }, ...answer };
}

function result(turn: number, id: string, text: string): EntryDetails {
  return { kind: "tool", turn, id, name: "read", ok: true, text, exitCode: null, diff: null, closed: null, ms: 1 };
}

function compaction(summary: string, keepFrom: number): EntryDetails {
  return { kind: "compaction", summary, keepFrom, tokensBefore: 9, tokensAfter: 1, call: null };
}

/** One line per message: its role, and its parts. */
function sketch(messages: readonly ChatMessage[]): readonly string[] {
  return messages.map(
    ({ role, parts }) =>
      `${role}: ${parts.map((part) => (part.kind === "tool-call" ? `call ${part.id}` : `${part.kind === "tool-result" ? `${part.id}=` : ""}${part.text.trim()}`)).join(" | ")}`,
  );
}

describe("the messages of a session", () => {
  it("merge what people and oldhand said in a row, each a part of its own", () => {
    const messages = activeMessages(
      log(user(1, "a"), system("S"), note(1, "b"), user(1, "c"), assistant(1, "d"), end(1), user(2, "e")),
    );
    expect(sketch(messages)).toEqual(["user: a | [oldhand] b | c", "assistant: d", "user: e"]);
    expect(messages[0]?.parts.map((part) => "text" in part && part.text)).toEqual(["a", "\n\n[oldhand] b", "\n\nc"]);
  });

  it("have the results of a batch in the order of its calls, and notes after them", () => {
    const entries = log(
      user(1, "a"),
      assistant(1, "", "x", "y"),
      result(1, "y", "2"),
      note(1, "n"),
      result(1, "x", "1"),
      assistant(1, "b"),
    );
    expect(sketch(activeMessages(entries))).toEqual([
      "user: a",
      "assistant: call x | call y",
      "tool: x=1 | y=2",
      "user: [oldhand] n",
      "assistant: b",
    ]);
  });

  it("close a call without a result, and drop a result without its call", () => {
    const entries = log(user(1, "a"), assistant(1, "", "x"), result(1, "z", "stray"), end(1), user(2, "b"));
    expect(sketch(activeMessages(entries))).toEqual([
      "user: a",
      "assistant: call x",
      "tool: x=No result: the call was interrupted. Whether it had an effect is unknown.",
      "user: b",
    ]);
  });

  it("have a message once that was sent again word for word after it got no answer", () => {
    const entries = log(user(1, "a"), end(1), user(2, "a"), end(2), user(3, "a"));
    expect(sketch(activeMessages(entries))).toEqual(["user: a"]);
    const answered = log(user(1, "a"), assistant(1, "b"), end(1), user(2, "a"));
    expect(sketch(activeMessages(answered))).toEqual(["user: a", "assistant: b", "user: a"]);
    const another = log(user(1, "a"), end(1), user(2, "b"), end(2), user(3, "a"));
    expect(activeMessages(another)[0]?.parts).toHaveLength(3);
  });

  it("pair calls and results by their message, also if a provider uses an id again", () => {
    const once = [assistant(1, "", "x"), result(1, "x", "1")];
    const entries = log(user(1, "a"), ...once, assistant(1, "", "x"), result(1, "x", "2"), assistant(1, "b"));
    expect(sketch(activeMessages(entries)).filter((line) => line.startsWith("tool"))).toEqual([
      "tool: x=1",
      "tool: x=2",
    ]);
  });

  it("leave out an undone turn and everything after it, and go on from there", () => {
    const first = [user(1, "a"), system("S"), assistant(1, "b"), end(1)];
    const second = [user(2, "c"), assistant(2, "d"), end(2)];
    const undo: EntryDetails = { kind: "undo", turn: 2, files: [] };
    const entries = log(...first, ...second, undo, user(3, "e"));
    expect(sketch(activeMessages(entries))).toEqual(["user: a", "assistant: b", "user: e"]);
    expect(lastTurn(entries)).toBe(3);
    const all = log(...first, { kind: "undo", turn: 1, files: [] }, user(2, "x"));
    expect(sketch(activeMessages(all))).toEqual(["user: x"]);
    expect(currentSystem(all)?.text).toBe("S");
  });

  it("begin with the summary after a compaction, as data, and keep what it kept", () => {
    const entries = log(
      user(1, "a"),
      system("S"),
      assistant(1, "", "x"),
      result(1, "x", "1"),
      assistant(1, "b"),
      user(2, "c"),
      compaction("They did a.", 6),
      assistant(2, "d"),
    );
    const [first, second] = activeMessages(entries);
    expect(sketch([first as ChatMessage])[0]).toMatch(
      /^user: \[oldhand\] <<<oldhand [\s\S]*\| They did a\.\n[\s\S]*\| c$/,
    );
    expect(sketch([second as ChatMessage])).toEqual(["assistant: d"]);
    expect(currentSystem(entries)).toBeNull();
    expect(currentSystem([...entries, ...log(system("T")).map((one) => ({ ...one, seq: 9 }))])?.text).toBe("T");
  });

  it("know which turn and which calls are open", () => {
    const entries = log(user(1, "a"), assistant(1, "", "x", "y"), result(1, "x", "1"));
    expect([openTurn(entries), openCalls(entries).map(({ id }) => id)]).toEqual([1, ["y"]]);
    expect(openTurn(log(user(1, "a"), end(1)))).toBeNull();
  });

  it("take back a message as every provider accepts it", () => {
    const call = (id: string, input: unknown): ChatPart => ({ kind: "tool-call", id, name: "read", input });
    const parts: ChatPart[] = [
      { kind: "text", text: " \n" },
      call("x", "no object"),
      call("x", {}),
      call("", { a: 1 }),
    ];
    expect(toSendable({ role: "assistant", parts }).parts).toEqual([
      call("x", {}),
      call("x_2", {}),
      call("call", { a: 1 }),
    ]);
    expect(toSendable({ role: "assistant", parts: [{ kind: "reasoning", text: "hm", opaque: null }] }).parts).toEqual(
      [],
    );
  });

  it("always alternate, begin with a user, and pair every call with one result, whatever was logged", () => {
    const ids = fc.subarray(["x", "y", "z"]);
    const detail = fc.oneof(
      fc.tuple(fc.nat(4), fc.string()).map(([turn, text]) => user(turn, `u${text}`)),
      fc.nat(4).map((turn) => note(turn, "n")),
      fc.tuple(fc.nat(4), fc.constantFrom("", "t"), ids).map(([turn, text, calls]) => assistant(turn, text, ...calls)),
      fc.tuple(fc.nat(4), fc.constantFrom("x", "y", "q")).map(([turn, id]) => result(turn, id, "r")),
      fc.nat(12).map((from) => compaction("s", from)),
      fc.nat(4).map((turn): EntryDetails => ({ kind: "undo", turn, files: [] })),
      fc.nat(4).map(end),
    );
    fc.assert(
      fc.property(fc.array(detail, { maxLength: 14 }), (details) => {
        const entries = log(user(0, "first"), ...details);
        const messages = activeMessages(entries);
        expect(activeMessages(entries)).toEqual(messages);
        for (const [at, { role, parts }] of messages.entries()) {
          expect(parts.length).toBeGreaterThan(0);
          const before = messages[at - 1];
          const calls = before?.parts.filter(({ kind }) => kind === "tool-call") ?? [];
          if (role === "tool")
            expect(parts.map((part) => "id" in part && part.id)).toEqual(calls.map((part) => "id" in part && part.id));
          else expect(calls).toEqual([]);
          expect(role).not.toBe(before?.role);
        }
      }),
      { numRuns: 400 },
    );
  });
});
