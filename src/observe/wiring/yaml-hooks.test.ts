import { describe, expect, it } from "vitest";
import { removeYamlHooks, addYamlHooks, findYamlCommands } from "./yaml-hooks.ts";

const at = { key: "hooks", host: "hermes" };
const command = "/usr/bin/node /opt/dist/oldhand.cjs hook hermes";
const wanted = { events: ["pre_llm_call", "pre_tool_call"], fields: [`command: "${command}"`, "timeout: 5"] };
const put = (text: string) => addYamlHooks(text, at, wanted);
const take = (text: string | null) => removeYamlHooks(text ?? "", at);

const block = `hooks:
  pre_llm_call:
    - command: "${command}"
      timeout: 5
  pre_tool_call:
    - command: "${command}"
      timeout: 5
`;

describe("hooks in a file of YAML", () => {
  it("are put at the end where there are none, and taken away again", () => {
    expect(put("model: x # mine\n")).toBe(`model: x # mine\n${block}`);
    expect(take(put("model: x # mine\n"))).toBe("model: x # mine\n");
    expect(put("")).toBe(block);
  });

  it("are there once, however often they are put", () => {
    const once = put("model: x\n") ?? "";
    expect(put(once)).toBe(once);
    expect(findYamlCommands(once, "hermes")).toEqual([command, command]);
  });

  it.each([
    ["none under the name", "hooks:\nlast: 1\n"],
    ["other events", "hooks:\n  # mine\n  on_session_start:\n    - command: say hi\nlast: 1\n"],
    [
      "the same event",
      "hooks:\n    pre_tool_call:\n        - matcher: terminal\n          command: ~/x.sh\n          timeout: 9\nlast: 1\n",
    ],
    [
      "a list as far out as its name",
      "hooks:\n  pre_tool_call:\n  - command: ~/x.sh\n    timeout: 9\n  on_session_end:\n  - command: y\nlast: 1\n",
    ],
    [
      "another of the same command without a list of ours",
      "hooks:\n  pre_tool_call:\n    - command: ~/x.sh\n\n# after\nlast: 1\n",
    ],
  ])("stand beside those of others: %s", (_what, text) => {
    const both = put(text) ?? "";
    expect(findYamlCommands(both, "hermes")).toEqual([command, command]);
    for (const line of text.split("\n")) expect(both.split("\n")).toContain(line);
    expect(put(both)).toBe(both);
    // An empty parent is removed with our hooks.
    expect(take(both)).toBe(text.replace(/^hooks:\n(?=last)/, ""));
  });

  it.each(["hooks: {}\nlast: 1\n", "hooks: null # none\nlast: 1\n", "hooks:\n  pre_tool_call: []\nlast: 1\n"])(
    "are put where a program wrote that there are none: %j",
    (text) => {
      const both = put(text) ?? "";
      expect(findYamlCommands(both, "hermes")).toEqual([command, command]);
      expect(both).toContain("last: 1\n");
      expect(put(both)).toBe(both);
    },
  );

  it("of another oldhand are replaced", () => {
    const old = (put("model: x\n") ?? "").replaceAll("/opt/", "/old/");
    expect(put(old)).toBe(`model: x\n${block}`);
  });

  it.each(["hooks: {pre_tool_call: []}\n", '"hooks":\n  a: 1\n', "hooks:\n  pre_tool_call: [{command: x}]\n"])(
    "are not put where that is not safe: %j",
    (text) => {
      expect(put(text)).toBeNull();
      expect(take(text)).toBe(text);
    },
  );
});
