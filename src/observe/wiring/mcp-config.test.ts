import { describe, expect, it } from "vitest";
import type { McpConfig, InstallTarget } from "../protocol/host.ts";
import { jsonMcpConfig, tomlMcpConfig, yamlMcpConfig } from "./mcp-config.ts";

const place: InstallTarget = {
  userHome: "/home/ada",
  home: "/home/ada/.oldhand",
  project: null,
  command: ["/usr/bin/node", "/opt/old hand/dist/oldhand.cjs", "hook", "any", "--home", "/mind"],
  env: {},
  platform: "linux",
};
const moved: InstallTarget = { ...place, command: ["/usr/bin/node", "/elsewhere/oldhand.cjs", "hook", "any"] };
const path = () => "/nowhere";

const toml = tomlMcpConfig({ path, table: "mcp_servers" });
const byName = yamlMcpConfig({ path, key: "mcp_servers" });
const asList = yamlMcpConfig({ path, key: "mcpServers", isList: true });
const json = jsonMcpConfig({ path, at: ["mcpServers"] });

const files: readonly (readonly [string, McpConfig, string])[] = [
  ["TOML", toml, 'model = "gpt"   # mine\n\n[mcp_servers.a]\ncommand = "x"\n'],
  ["TOML without a last line end", toml, 'model = "gpt"'],
  ["TOML that is empty", toml, ""],
  ["YAML by name", byName, "model: x\nmcp_servers:\n    a:\n        command: x\n\n# end\nlast: 1\n"],
  ["YAML by name with nothing under it", byName, "mcp_servers: # none yet\nlast: 1\n"],
  ["YAML without any servers", byName, "model: x # mine\n"],
  ["a YAML list", asList, "name: a\nmcpServers:\n  - name: mini\n    command: x\n    args:\n      - y\nmodels: []\n"],
  ["a YAML list at the edge", asList, "mcpServers:\n- name: mini\n  command: x\nmodels:\n- name: m\n"],
  ["JSON", json, '{"mcpServers": {"a": {"command":"x"}}}\n'],
];

describe("our server among those of a host", () => {
  it.each(files)("%s: goes in once and out to the byte", (_what, config, text) => {
    const once = config.with(text, place) ?? "";
    expect(once).toContain("/opt/old hand/dist/oldhand.cjs");
    expect(once).toContain('"mcp"');
    expect(config.with(once, place)).toBe(once);
    const out = config.without(once) ?? "";
    // An empty parent is removed with our entry, and a last line without a newline gets one.
    if (text === "" || text.endsWith("\n"))
      expect(out.replace("mcp_servers: # none yet\n", "")).toBe(text.replace("mcp_servers: # none yet\n", ""));
    else expect(out.trimEnd()).toBe(text);
  });

  it.each(files)("%s: points to the new place when oldhand has moved, once", (_what, config, text) => {
    const again = config.with(config.with(text, place) ?? "", moved) ?? "";
    expect(again).toContain("/elsewhere/oldhand.cjs");
    expect(again).not.toContain("/opt/old hand");
    expect(config.with(again, moved)).toBe(again);
  });

  it("leaves what the host wrote after it, and the tables below it go", () => {
    const once = toml.with('model = "gpt"\n', place) ?? "";
    const later = `${once}[mcp_servers.oldhand.tools.report]\napproval_mode = "approve"\n\n[hooks.state]\ntrusted = 1\n`;
    expect(toml.without(later)).toBe('model = "gpt"\n\n[hooks.state]\ntrusted = 1\n');
  });

  it("keeps what its user said about it", () => {
    const off = (json.with("{}", place) ?? "").replace('"command"', '"disabled": true,\n      "command"');
    expect(json.with(off, place)).toBe(off);
    expect(json.with(off, moved)).toContain('"disabled": true');
  });

  it("takes the place of an empty list or object", () => {
    for (const empty of ["{}", "[]", "null", "{ } # none"]) {
      const once = byName.with(`a: 1\nmcp_servers: ${empty}\nlast: 1\n`, place) ?? "";
      expect(once).toMatch(/^a: 1\nmcp_servers:(?: # none)?\n {2}oldhand:\n {4}command: [^]*\nlast: 1\n$/);
      expect(byName.with(once, place)).toBe(once);
      expect(byName.without(once)).toBe("a: 1\nlast: 1\n");
    }
  });

  it.each([
    ["TOML in one line", toml, 'mcp_servers = { a = { command = "x" } }\n'],
    ["YAML in braces", byName, "mcp_servers: {a: {command: x}}\n"],
    ["YAML with quotes", asList, '"mcpServers":\n  - name: a\n'],
    ["JSON that is none", json, "{"],
  ] as const)("touches no %s", (_what, config, text) => {
    expect(config.with(text, place)).toBeNull();
  });
});
