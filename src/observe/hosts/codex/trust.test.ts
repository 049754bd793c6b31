import { describe, expect, it } from "vitest";
import { isTrusted, listTrustEntries } from "./trust.ts";

const command = "env -u NODE_EXTRA_CA_CERTS /usr/bin/node /opt/oldhand/dist/oldhand.cjs hook codex";
const ours = { hooks: [{ type: "command", command, timeout: 5 }] };
const theirs = { matcher: "Bash", hooks: [{ type: "command", command: "guard.sh" }] };
const path = "/home/ada/.codex/hooks.json";
const file = JSON.stringify({ hooks: { PreToolUse: [theirs, ours], SessionEnd: [ours] } });

describe("the trust of Codex's user", () => {
  const entries = listTrustEntries(path, file);
  const [first, last] = entries;

  it("is asked for our hooks only, each by its place", () => {
    expect(entries.map((entry) => [entry.event, entry.key])).toEqual([
      ["PreToolUse", `${path}:pre_tool_use:1:0`],
      ["SessionEnd", `${path}:session_end:0:0`],
    ]);
  });

  it("is for what the hook does: another command is another hash", () => {
    const [moved] = listTrustEntries(path, file.replaceAll("/opt/oldhand", "/srv/oldhand"));
    expect(moved?.hash).toMatch(/^sha256:[0-9a-f]{64}$/);
    expect(moved?.hash).not.toBe(first?.hash);
  });

  it.each([
    ["a table", (key: string, hash: string) => `[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`],
    ["a table in plain quotes", (key: string, hash: string) => `[hooks.state.'${key}']\ntrusted_hash = "${hash}"\n`],
    ["an inline table", (key: string, hash: string) => `[hooks.state]\n"${key}" = { trusted_hash = "${hash}" }\n`],
    ["with Windows line ends", (key: string, hash: string) => `[hooks.state."${key}"]\r\ntrusted_hash = "${hash}"\r\n`],
  ])("is found as %s", (_name, written) => {
    const config = `model = "x"\n${written(first?.key ?? "", first?.hash ?? "")}[tui]\ntheme = "dark"\n`;
    expect(first && isTrusted(config, first)).toBe(true);
    expect(last && isTrusted(config, last)).toBe(false);
  });

  it("is none where it is for an earlier command, for another place, or switched off", () => {
    if (!first || !last) throw new Error("no entries");
    const state = (key: string, hash: string) => `[hooks.state."${key}"]\ntrusted_hash = "${hash}"\n`;
    expect(isTrusted("", first)).toBe(false);
    expect(isTrusted(state(first.key, "sha256:0"), first)).toBe(false);
    expect(isTrusted(state(last.key, first.hash), first)).toBe(false);
    expect(isTrusted(state(first.key, "sha256:0") + state(last.key, first.hash), first)).toBe(false);
    expect(isTrusted(`${state(first.key, first.hash)}enabled = false\n`, first)).toBe(false);
  });

  it("is asked for nothing in a file that cannot be read", () => {
    for (const text of ["", "null", "[]", '{"hooks":3}', '{"hooks":{"Stop":[3,{"hooks":[4]}]}}'])
      expect(listTrustEntries(path, text)).toEqual([]);
  });
});
