import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import antigravity from "../../src/observe/hosts/antigravity/fixtures/payloads.json" with { type: "json" };
import cursor from "../../src/observe/hosts/cursor/fixtures/payloads.json" with { type: "json" };
import { newPlace, type Place } from "../program.ts";

let place: Place;
beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** Each host's name, title and folder, the file that is written, and what the user may already have in it. */
const hosts = [
  ["cursor", "Cursor", ".cursor", ".cursor/hooks.json", '{"version":1, "hooks":{"stop":[{"command":"say done"}]}}'],
  ["kiro", "Kiro", ".kiro", ".kiro/hooks/oldhand.json", null],
  ["antigravity", "Antigravity", ".gemini/antigravity", ".gemini/config/hooks.json", '{"lint": {"Stop":[]}}'],
  [
    "windsurf",
    "Windsurf (Devin Desktop)",
    ".codeium/windsurf",
    ".codeium/windsurf/hooks.json",
    '{"hooks": {"post_write_code":[{"command":"fmt","show_output":true}]}}',
  ],
  ["devin", "Devin CLI", ".config/devin", ".config/devin/config.json", '{"permissions":  {"allow":["exec"]}}'],
  ["vscode", "VS Code agent", ".config/Code", ".copilot/hooks/oldhand-vscode.json", null],
] as const;

describe("a host that was never run", () => {
  it.each(hosts)(
    "%s: is installed when it is found, said to be unverified, and taken back to the byte",
    async (...host) => {
      const [name, title, folder, file, before] = host;
      mkdirSync(join(place.user, folder), { recursive: true });
      const path = join(place.user, file);
      if (before !== null) {
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, before);
      }
      const tree = treeOf(place.user);
      const installed = await place.run(["install", "all"]);
      expect(installed.stdout).toContain(`wrote ${path}`);
      expect(installed.stdout).toContain(`${title} is unverified: written from its documentation`);
      expect(readFileSync(path, "utf8")).toContain(`oldhand.cjs hook ${name}`);
      expect((await place.run(["install", name])).stdout).toContain("Everything is already in place.");
      const { stdout } = await place.run(["doctor"]);
      expect(stdout).toContain(`${title} is unverified: written from its documentation`);
      expect(stdout).toContain(`${title}: oldhand is one of its MCP servers`);
      await place.json(["uninstall"]);
      expect(treeOf(place.user)).toEqual(tree);
    },
  );

  it.each(hosts)("%s: what others write to the file since is kept", async (...host) => {
    const [name, , , file] = host;
    await place.json(["install", name]);
    const path = join(place.user, file);
    const now = JSON.parse(readFileSync(path, "utf8")) as Record<string, unknown>;
    writeFileSync(path, JSON.stringify({ ...now, theirs: 1 }));
    await place.json(["uninstall"]);
    const left = readFileSync(path, "utf8");
    expect(left).toContain("theirs");
    expect(left).not.toContain("oldhand.cjs");
  });

  it.each(hosts)("%s: one repository only", async (...host) => {
    const [name] = host;
    const project = join(place.dir, "shop");
    mkdirSync(project);
    const { files } = await place.json<{ files: { path: string }[] }>(["install", name, "--project", project]);
    expect(files.length).toBeGreaterThan(0);
    expect(files.filter((one) => !one.path.startsWith(project))).toEqual([]);
    await place.json(["uninstall"]);
    expect(readdirSync(project)).toEqual([]);
  });

  it("none of them where none is found", async () => {
    mkdirSync(join(place.user, ".gemini"));
    const { files } = await place.json<{ files: { host: string }[] }>(["install", "all"]);
    expect(files.map((one) => one.host).filter((name) => hosts.some(([known]) => known === name))).toEqual([]);
  });

  it("is heard, and answered in its own words", async () => {
    await place.json(["learn", "Push with `git push`: there is no psuh.", "--command", "git psuh origin main"]);
    const sendHook = (payload: unknown) => place.run(["hook", "cursor"], { stdin: JSON.stringify(payload) });
    const before = await sendHook(cursor.payloads.preToolUse);
    expect(JSON.parse(before.stdout)).toEqual({ additional_context: expect.stringContaining("there is no psuh") });
    expect(await sendHook(cursor.payloads.exit1)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const { counts } = await place.json<{ counts: { events: number; failures: number } }>(["status"]);
    expect(counts).toMatchObject({ events: 1, failures: 1 });
  });
});

describe("a host that takes nothing for a no", () => {
  const before = JSON.stringify(antigravity.payloads.PreToolUse);
  const sendHook = (stdin: string, env: Readonly<Record<string, string>> = {}) =>
    place.run(["hook", "antigravity"], { stdin, env });
  const allowed = { code: 0, stdout: '{"decision":"allow"}', stderr: "" };

  it("is told to go on where there is nothing to say, and nothing it does not know elsewhere", async () => {
    expect(await sendHook(before)).toMatchObject(allowed);
    for (const payload of [antigravity.payloads.PostToolUse, antigravity.payloads.Stop])
      expect(await sendHook(JSON.stringify(payload))).toMatchObject({ code: 0, stdout: "{}", stderr: "" });
  });

  it.each([
    ["nothing at all", ""],
    ["half a document", before.slice(0, 60)],
    ["no session", '{"toolCall":{"name":"run_command","args":{}}}'],
    ["more than anyone should send", JSON.stringify({ toolCall: "x".repeat(11_000_000) })],
  ])("goes on where it sent %s", async (_what, stdin) => {
    expect(await sendHook(stdin)).toMatchObject(allowed);
  });

  it("goes on where oldhand is off", async () => {
    expect(await sendHook(before, { OLDHAND_OFF: "1" })).toMatchObject(allowed);
    mkdirSync(place.home);
    writeFileSync(join(place.home, "config.json"), '{"off":true}');
    expect(await sendHook(before)).toMatchObject(allowed);
  });

  it("goes on where the settings or the store are broken", async () => {
    mkdirSync(place.home);
    writeFileSync(join(place.home, "mind.db"), "no database".repeat(1_000));
    expect(await sendHook(before)).toMatchObject(allowed);
    expect(await sendHook(before, { OLDHAND_DATABASE: "postgres://nobody@127.0.0.1:1/none" })).toMatchObject(allowed);
    writeFileSync(join(place.home, "config.json"), "{");
    expect(await sendHook(before)).toMatchObject(allowed);
  });

  it("goes on where there can be no home", async () => {
    writeFileSync(place.home, "");
    chmodSync(place.home, 0o400);
    expect(await sendHook(before)).toMatchObject(allowed);
  });
});

/** Every file with its text, and every folder. */
function treeOf(folder: string): Readonly<Record<string, string | null>> {
  if (!existsSync(folder)) return {};
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    names.map((name) => {
      const path = join(folder, name);
      return [name, statSync(path).isDirectory() ? null : readFileSync(path, "utf8")];
    }),
  );
}
