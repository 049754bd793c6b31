import { describe, expect, it } from "vitest";
import type { InstallTarget } from "../../protocol/host.ts";
import { buildHookCommandLine } from "../../wiring/hook-command.ts";
import { listPluginFiles } from "./plugin.ts";
import { removeOurSettings, addHookSettings, addInstalledPlugin, addMarketplace, addPlugin } from "./settings-edits.ts";

const place: InstallTarget = {
  userHome: "/home/ann",
  home: "/home/ann/.oldhand",
  project: null,
  command: ["/usr/bin/node", "/opt/old hand/oldhand.cjs", "hook", "claude-code"],
  env: {},
  platform: "linux",
};

const theirs = {
  model: "sonnet",
  hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "their-hook" }] }] },
  enabledPlugins: { "a@b": true },
};

const hook = { type: "command", command: buildHookCommandLine(place), timeout: 5 };

describe("what is written into the client's files", () => {
  it("stands beside what is there", () => {
    const wired = addHookSettings(theirs, ["PreToolUse", "Stop"], hook);
    expect(wired).toEqual({
      ...theirs,
      hooks: { PreToolUse: [...theirs.hooks.PreToolUse, { hooks: [hook] }], Stop: [{ hooks: [hook] }] },
    });
  });

  it.each([
    ["hooks", addHookSettings(theirs, ["PreToolUse", "Stop"], hook), theirs],
    ["the plugin", addPlugin(theirs, place), theirs],
    ["hooks alone", addHookSettings({}, ["Stop"], hook), {}],
    ["the plugin alone", addPlugin({}, place), {}],
    ["the marketplace", addMarketplace({ b: { installLocation: "/b" } }, place), { b: { installLocation: "/b" } }],
    ["the installed plugin", addInstalledPlugin({}, "/home/ann/.claude"), { version: 2, plugins: {} }],
  ])("can be taken out again: %s", (_what, wired, before) => {
    expect(JSON.parse(removeOurSettings(JSON.stringify(wired)) ?? "")).toEqual(before);
  });

  it("replaces our own of another kind, place or time", () => {
    const elsewhere = { ...hook, command: '"/old/node" /old/oldhand.cjs hook claude-code --home /elsewhere' };
    const old = addHookSettings(theirs, ["PreToolUse", "Stop", "PostToolUse"], elsewhere);
    expect(addHookSettings(old, ["Stop"], hook)).toEqual(addHookSettings(theirs, ["Stop"], hook));
    expect(addPlugin(old, place)).toEqual(addPlugin(theirs, place));
    expect(addHookSettings(addPlugin(theirs, place), ["Stop"], hook)).toEqual(addHookSettings(theirs, ["Stop"], hook));
  });

  it("is left as it is when it is there already", () => {
    const known = addMarketplace({}, place);
    expect(addMarketplace(known, place)).toBe(known);
    const installed = addInstalledPlugin({}, "/home/ann/.claude");
    expect(addInstalledPlugin(installed, "/home/ann/.claude")).toBe(installed);
    expect(addInstalledPlugin({ version: 3 }, "/home/ann/.claude")).toEqual({ version: 3 });
  });

  it("cannot be taken out of what is no JSON object", () => {
    expect(removeOurSettings("[]")).toBeNull();
    expect(removeOurSettings("{")).toBeNull();
  });
});

describe("the plugin", () => {
  const files = new Map(
    listPluginFiles(place).map(({ path, text }) => [path.replace("/home/ann/.oldhand/hosts/claude-code/", ""), text]),
  );
  const hooks = JSON.parse(files.get("plugins/oldhand/hooks/hooks.json") ?? "").hooks as Record<
    string,
    { hooks: Record<string, unknown>[] }[]
  >;

  it("has the parts that the client looks for", () => {
    expect([...files.keys()]).toEqual([
      ".claude-plugin/marketplace.json",
      "plugins/oldhand/.claude-plugin/plugin.json",
      "plugins/oldhand/hooks/hooks.json",
      "plugins/oldhand/.mcp.json",
      "plugins/oldhand/skills/oldhand/SKILL.md",
      "plugins/oldhand/commands/mistakes.md",
      "plugins/oldhand/commands/earlier.md",
      "plugins/oldhand/commands/review.md",
      "plugins/oldhand/commands/off.md",
      "plugins/oldhand/commands/mute.md",
      "plugins/oldhand/commands/why.md",
    ]);
  });

  it("lets its user decide with the same program and home, and the model not at all", () => {
    const program = '/usr/bin/node "/opt/old hand/oldhand.cjs"';
    const textOf = (name: string) => files.get(`plugins/oldhand/commands/${name}.md`) ?? "";
    expect(textOf("review")).toContain(`!\`${program} rules list --status candidate --workspace .\``);
    expect(textOf("off")).toContain(`!\`${program} --for-owner off --workspace .\``);
    expect(textOf("mute")).toContain(`!\`${program} --for-owner rules mute "$ARGUMENTS"\``);
    expect(textOf("why")).toContain(`!\`${program} rules why "$ARGUMENTS"\``);
    for (const name of ["review", "off", "mute", "why"]) {
      expect(textOf(name)).toContain("\ndisable-model-invocation: true\n");
      expect(textOf(name)).not.toMatch(/allowed-tools:.*(approve|reject)/);
    }
  });

  it("starts a process only where there is no server yet, or no longer", () => {
    const kinds = Object.entries(hooks).map(([event, [group]]) => [event, group?.hooks[0]?.["type"]]);
    expect(Object.fromEntries(kinds)).toEqual({
      SessionStart: "command",
      SessionEnd: "command",
      UserPromptSubmit: "mcp_tool",
      PreToolUse: "mcp_tool",
      PostToolUse: "mcp_tool",
      PostToolUseFailure: "mcp_tool",
      PostToolBatch: "mcp_tool",
      SubagentStart: "mcp_tool",
      Stop: "mcp_tool",
    });
    expect(hooks["SessionEnd"]?.[0]?.hooks[0]?.["command"]).toBe(
      'env -u NODE_EXTRA_CA_CERTS /usr/bin/node "/opt/old hand/oldhand.cjs" hook claude-code',
    );
  });

  it("names every field it wants, since no other is sent", () => {
    expect(hooks["PreToolUse"]?.[0]?.hooks[0]).toMatchObject({
      server: "plugin:oldhand:oldhand",
      tool: "hook",
      input: {
        host: "claude-code",
        hook_event_name: "PreToolUse",
        session_id: "${session_id}",
        tool_input: "${tool_input}",
        stop_hook_active: "${stop_hook_active}",
      },
    });
  });

  it("serves the same mind as its hooks", () => {
    const elsewhere = { ...place, command: [...place.command, "--home", "/m"] };
    const [server] = listPluginFiles(elsewhere).filter(({ path }) => path.endsWith(".mcp.json"));
    expect(JSON.parse(server?.text ?? "")).toEqual({
      mcpServers: { oldhand: { command: "/usr/bin/node", args: ["/opt/old hand/oldhand.cjs", "mcp", "--home", "/m"] } },
    });
  });

  it("does without env where there is none", () => {
    expect(buildHookCommandLine({ ...place, platform: "win32" })).toBe(
      '/usr/bin/node "/opt/old hand/oldhand.cjs" hook claude-code',
    );
  });
});
