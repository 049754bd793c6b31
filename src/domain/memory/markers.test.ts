import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractMarkers, hasMarker } from "./markers.ts";
import { parseMarkedMemory } from "./marked-memory.ts";

const names = ["MEMORY", "WIN", "MISTAKE", "STATE", "JOURNAL", "TASK_ADD", "TASK_EDIT", "TASK_REMOVE"];

describe("inline markers", () => {
  it("are taken out with what they hold, and nothing of them is shown", () => {
    const answer = 'Done.\n[MEMORY]{"key": "lang", "content": "prefers {Rust}"}[/MEMORY]\nBye [WIN]{"what":"x"} now.';
    expect(extractMarkers(answer)).toEqual({
      shown: "Done.\nBye  now.",
      markers: [
        {
          name: "MEMORY",
          data: { key: "lang", content: "prefers {Rust}" },
          raw: '[MEMORY]{"key": "lang", "content": "prefers {Rust}"}[/MEMORY]',
        },
        { name: "WIN", data: { what: "x" }, raw: '[WIN]{"what":"x"}' },
      ],
    });
  });

  it("come back as they were put in, between any texts, whatever braces, quotes and markers their strings hold", () => {
    const between = fc.string({ unit: "grapheme" }).filter((text) => !/[[`~{}]/.test(text));
    const value = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 2 }));
    const tricky = fc.dictionary(
      fc.string(),
      fc.constantFrom("}{", '"}', "\\", '[WIN]{"a":1}', "[/MEMORY]", "{{", "\n}"),
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(between, fc.constantFrom(...names), fc.oneof(value, tricky), fc.boolean()), { maxLength: 5 }),
        between,
        (parts, end) => {
          const answer =
            parts
              .map(
                ([text, name, data, closed]) => `${text}[${name}]${JSON.stringify(data)}${closed ? `[/${name}]` : ""}`,
              )
              .join("") + end;
          const { shown, markers } = extractMarkers(answer);
          expect(markers.map(({ name, data }) => ({ name, data }))).toEqual(
            parts.map(([, name, data]) => ({ name, data: JSON.parse(JSON.stringify(data)) as unknown })),
          );
          expect(hasMarker(shown)).toBe(false);
          expect(shown.replaceAll(/\s/g, "")).toBe(
            [...parts.map(([text]) => text), end].join("").replaceAll(/\s/g, ""),
          );
        },
      ),
    );
  });

  it("leave a text without any exactly as it was", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        fc.pre(!hasMarker(text));
        expect(extractMarkers(text)).toEqual({ shown: text, markers: [] });
      }),
    );
  });

  it("never leave a marker to be seen that closes up from the pieces of others", () => {
    const { shown, markers } = extractMarkers('[MEM[WIN]{"a":1}ORY]{"content":"x"}');
    expect(shown).toBe("");
    expect(markers.map((marker) => marker.name)).toEqual(["WIN", "MEMORY"]);
  });

  it("that are never closed, or shown as code, are text; those without JSON inside are kept raw", () => {
    for (const text of [
      '[MEMORY]{"content": "x"',
      "[MEMORY] no braces",
      'write `[WIN]{"a":1}`',
      '```\n[WIN]{"a":1}\n```',
    ])
      expect(extractMarkers(text)).toEqual({ shown: text, markers: [] });
    expect(extractMarkers("a [STATE]{not json} b")).toEqual({
      shown: "a  b",
      markers: [{ name: "STATE", data: null, raw: "[STATE]{not json}" }],
    });
  });
});

describe("a MEMORY marker", () => {
  it("holds in the workspace it was said in, unless it says that it holds everywhere", () => {
    expect(parseMarkedMemory({ content: "x", importance: 0.7, tags: ["a", 1] }, "/w")).toEqual({
      text: "x",
      kind: "fact",
      category: null,
      importance: 70,
      tags: ["a"],
      scope: { kind: "workspace", name: "/w" },
    });
    expect(parseMarkedMemory({ text: "x", scope: "global", category: "strategy", key: " k " }, "/w")).toMatchObject({
      kind: "learning",
      category: "strategy",
      key: "k",
      scope: { kind: "global" },
    });
    expect(parseMarkedMemory({ content: " " }, null)).toBeNull();
    expect(parseMarkedMemory({ content: "x", kind: "learning", importance: 1000 }, null)).toMatchObject({
      kind: "fact",
      importance: 100,
    });
  });
});
