import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { hosts } from "../../src/observe/hosts/list.ts";
import { newPlace, type Place } from "../program.ts";

/** The common properties of all hosts: the files that `install` and `export` write. */

let place: Place;
let shop: string;
beforeEach(() => {
  place = newPlace();
  shop = join(place.dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
});
afterEach(() => place.remove());

const names = hosts.map((host) => host.name);
/** Files that are only written if the host created them: otherwise ours would be its whole configuration. */
const configs: Readonly<Record<string, string>> = {
  continue: ".continue/config.yaml",
  hermes: ".hermes/config.yaml",
  openclaw: ".openclaw/openclaw.json",
};

interface Installed {
  readonly files: readonly { readonly path: string }[];
}

const install = (name: string, ...words: readonly string[]) => place.json<Installed>(["install", name, ...words]);

describe.each(names)("%s", (name) => {
  beforeEach(() => {
    const config = configs[name];
    if (config !== undefined) write(join(place.user, config), theirs(config));
  });

  it("is installed once, told of truthfully, and taken back to the byte, where there was nothing", async () => {
    const before = treeOf(place.user);
    const { files } = await install(name);
    const once = treeOf(place.user);
    for (const { path } of files) expect(existsSync(path)).toBe(true);
    const now = await findListedHost(name);
    const hasHooks = now?.ways.some(({ way }) => way === "hooks" || way === "plugin");
    expect(now?.ways.map(({ way }) => way)).toContain("rules file");
    expect(now?.ways.filter(({ wired }) => wired === false)).toEqual([]);
    // Some hosts are recognised by files that only they create.
    if (now?.found === true) {
      expect(now.installed).toBe(hasHooks);
      expect(now.state).toBe(hasHooks === true ? "installed, never heard" : "no hooks");
    }
    expect((await install(name)).files).toEqual([]);
    expect(treeOf(place.user)).toEqual(once);
    await place.json(["uninstall", name]);
    expect(treeOf(place.user)).toEqual(before);
    for (const { way, wired } of (await findListedHost(name))?.ways ?? [])
      expect(wired).toBe(way === "rules file" || way === "transcripts" ? null : false);
  });

  it("leaves what its user has in the same files as it was, to the byte", async () => {
    const { files } = await install(name, "--dry-run");
    const shared = files.filter(({ path }) => isTheirs(path));
    for (const { path } of shared) if (!existsSync(path)) write(path, theirs(path));
    const before = treeOf(place.user);
    await install(name);
    for (const { path } of shared) {
      expect(readFileSync(path, "utf8")).toContain("kept-by-its-user");
      expect(readFileSync(path, "utf8")).toContain("oldhand");
    }
    expect((await install(name)).files).toEqual([]);
    await place.json(["uninstall", name]);
    expect(treeOf(place.user)).toEqual(before);
  });

  it("keeps what others wrote to the same files since", async () => {
    const { files } = await install(name);
    const shared = files.filter(({ path }) => isTheirs(path));
    for (const { path } of shared) write(path, written(path));
    await place.json(["uninstall", name]);
    for (const { path } of shared) {
      const left = readFileSync(path, "utf8");
      expect(left).toContain("kept-by-another");
      expect(left).not.toMatch(/oldhand\.cjs/);
    }
  });
});

describe("all of them together", () => {
  it("are installed for one repository only, and taken back to the byte", async () => {
    const before = treeOf(shop);
    const home = treeOf(place.user);
    const { files } = await place.json<Installed>(["install", ...names, "--project", shop]);
    expect(files.filter(({ path }) => !path.startsWith(shop))).toEqual([]);
    expect(treeOf(place.user)).toEqual(home);
    await place.json(["uninstall"]);
    expect(treeOf(shop)).toEqual(before);
  });

  it("have their rules files written, and taken back to the byte, with their owner's words in them", async () => {
    await place.json(["learn", "Test with pnpm.", "--workspace", shop]);
    const ask = (...words: readonly string[]) =>
      place.json<{ files: { path: string; change: string; hosts: string[] }[] }>([
        ...["export", "--workspace", shop],
        ...words,
      ]);
    const { files } = await ask();
    expect(new Set(files.flatMap((file) => file.hosts))).toEqual(new Set(names));
    for (const { path } of files) write(path, "# kept by its owner\n");
    const before = treeOf(shop);
    await ask("--write");
    for (const { path } of files)
      expect(readFileSync(path, "utf8")).toMatch(
        /^# kept by its owner\n\n[^]*(Test with pnpm\.|read: \[CONVENTIONS\.md\])/,
      );
    expect((await ask("--write")).files.map((file) => file.change)).toEqual(files.map(() => "none"));
    await ask("--remove", "--write");
    expect(treeOf(shop)).toEqual(before);
  });

  it("are named where there is nothing to install", async () => {
    const { stdout } = await place.run(["install", "aider"]);
    expect(stdout).toContain("Aider: nothing to install: it has no hooks and no file for MCP servers");
    expect(stdout).toContain("oldhand export --host aider --write");
    expect((await place.run(["install", "codex", "--dry-run"])).stdout).not.toContain("nothing to install");
  });
});

async function findListedHost(name: string): Promise<ListedHost | undefined> {
  const { hosts: all } = await place.json<{ hosts: ListedHost[] }>(["hosts", "list"]);
  return all.find((one) => one.host === name);
}

interface ListedHost {
  readonly host: string;
  readonly found: boolean;
  readonly installed: boolean;
  readonly state: string;
  readonly ways: readonly { readonly way: string; readonly wired: boolean | null }[];
}

/** False for files that belong to oldhand alone. */
function isTheirs(path: string): boolean {
  return (
    path.startsWith(place.user) &&
    !/[\\/][^/\\]*oldhand[^/\\]*(?:[\\/]|$)/.test(path.slice(place.user.length)) &&
    [".json", ".toml", ".yaml"].includes(extname(path))
  );
}

/** With a user's formatting, which no program would write. */
function theirs(path: string): string {
  if (path.endsWith(".toml")) return 'model   = "kept-by-its-user" # mine\n\n[mcp_servers.other]\ncommand = "x"';
  if (path.endsWith(".yaml"))
    return path.includes(".continue")
      ? "name: kept-by-its-user # mine\nmcpServers:\n    - name: other\n      command: x\nmodels: []\n"
      : "model: kept-by-its-user # mine\nmcp_servers:\n    other:\n        command: x\nlast: 1\n";
  return '{ "kept":"kept-by-its-user",\n\n   "mcpServers": {"other": {"command":"x"}} }';
}

/** The file's text after its host or user has changed it. */
function written(path: string): string {
  const now = readFileSync(path, "utf8");
  if (path.endsWith(".json")) return JSON.stringify({ ...(JSON.parse(now) as object), another: "kept-by-another" });
  return path.endsWith(".toml") ? `${now}\n[another]\nname = "kept-by-another"\n` : `${now}another: kept-by-another\n`;
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

/** Every file with its text, and every folder. */
function treeOf(folder: string): Readonly<Record<string, string | null>> {
  const found = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  return Object.fromEntries(
    found.map((one) => {
      const path = join(folder, one);
      return [one, statSync(path).isDirectory() ? null : readFileSync(path, "utf8")];
    }),
  );
}
