import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { memberAt, withMember, withoutMember } from "./json-edit.ts";

const path = ["mcpServers", "oldhand"];
const entry = { command: "/usr/bin/node", args: ["a b", "mcp"] };

describe("a member of a settings file", () => {
  it.each([
    ["two of its kind", '{\n  "mcpServers": {\n    "a": {"command": "x"}\n  }\n}\n'],
    ["tabs", '{\n\t"theme": "dark",\n\t"mcpServers": {\n\t\t"a": {}\n\t}\n}'],
    ["one line", '{"mcpServers":{"a":{"command":"x"}},"z":1}'],
    ["comments", '// mine\n{\n  "mcpServers": {\n    "a": { "command": "x" } // keep\n    /* and this */\n  }\n}\n'],
    ["a comma at the end", '{\n  "mcpServers": {\n    "a": {},\n  },\n}\n'],
    ["names without quotes", "{\n  mcpServers: {\n    a: { command: 'it\\'s' },\n  },\n}\n"],
    ["other line ends", '{\r\n  "mcpServers": {\r\n    "a": {}\r\n  }\r\n}\r\n'],
    ["addresses in texts", '{\n  "mcpServers": { "a": { "url": "https://x.y//z /* no */" } }\n}\n'],
  ])("goes in and out to the byte where the file has %s", (_what, text) => {
    const edited = withMember(text, path, entry);
    expect(memberAt(edited ?? "", path)).toEqual(entry);
    expect(memberAt(edited ?? "", ["mcpServers", "a"])).toEqual(memberAt(text, ["mcpServers", "a"]));
    expect(withoutMember(edited ?? "", path)).toBe(text);
  });

  it.each([
    "",
    "{}",
    "{ }\n",
    "{\n}\n",
    '{"a":1}',
    '{\n  "a": [1, 2]\n}\n',
    '{"mcpServers": {}}',
    '{\n  "mcpServers": {\n  }\n}',
  ])("makes what is missing on the way: %j", (text) => {
    const edited = withMember(text, path, entry) ?? "";
    expect((JSON.parse(edited) as { mcpServers: object }).mcpServers).toEqual({ oldhand: entry });
    expect(memberAt(withoutMember(edited, path) ?? "", ["mcpServers"])).toEqual({});
  });

  it("is replaced where it stands", () => {
    const text = '{\n  "mcpServers": {\n    "oldhand": {"command": "old"},\n    "b": {}\n  }\n}\n';
    const edited = withMember(text, path, entry) ?? "";
    expect(Object.keys((JSON.parse(edited) as { mcpServers: object }).mcpServers)).toEqual(["oldhand", "b"]);
    expect(memberAt(edited, path)).toEqual(entry);
  });

  it.each(["[]", "{", '{"a":}', "null", '{"mcpServers": 3}', '{"a":1}}', "# toml\n[a]\n"])(
    "leaves %j alone",
    (text) => {
      expect(withMember(text, path, entry)).toBeNull();
    },
  );

  it("agrees with JSON about every document, however it is written", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.constantFrom(0, 2, "\t"), (value, space) => {
        fc.pre(!Object.hasOwn(value, "mcpServers") && !Object.hasOwn(value, "__proto__"));
        const text = JSON.stringify(value, null, space);
        fc.pre(!text.includes("__proto__"));
        const edited = withMember(text, path, entry) ?? "";
        expect(JSON.parse(edited)).toEqual({ ...(JSON.parse(text) as object), mcpServers: { oldhand: entry } });
        expect(JSON.parse(withoutMember(edited, path) ?? "")).toEqual({
          ...(JSON.parse(text) as object),
          mcpServers: {},
        });
      }),
      { numRuns: 500 },
    );
  });
});
