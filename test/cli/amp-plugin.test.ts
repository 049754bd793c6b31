import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place } from "../program.ts";

/**
 * The plugin as `install` writes it, in a host like the one described by `amp plugins show-docs`
 * (0.0.1790142911-g7618fb).
 */

type Handler = (event: Readonly<Record<string, unknown>>) => Promise<unknown>;

interface Amp {
  readonly handlers: ReadonlyMap<string, Handler>;
  dispose(): Promise<void>;
}

const thread = { id: "T-5f1c" };
const psuh = { thread, toolUseID: "toolu_1", tool: "Bash", input: { cmd: "git psuh origin main" } };
const failed = "git: 'psuh' is not a git command. See 'git --help'.";

let place: Place;
let shop: string;
beforeEach(() => {
  place = newPlace();
  shop = join(place.dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
});
afterEach(() => place.remove());

describe("our plugin in Amp", () => {
  it("tells a thread from its start to its end", async () => {
    await place.json(["install", "amp"]);
    const amp = await loaded();
    await amp.handlers.get("session.start")?.({ thread });
    expect(await amp.handlers.get("agent.start")?.({ thread, id: 1, message: "push my branch" })).toEqual({});
    expect(await amp.handlers.get("tool.call")?.(psuh)).toEqual({ action: "allow" });
    const result = { ...psuh, status: "done", output: { output: failed, exitCode: 1 } };
    expect(await amp.handlers.get("tool.result")?.(result)).toBeUndefined();
    await amp.handlers.get("agent.end")?.({ thread, status: "done", messages: [] });
    await amp.dispose();
    const { events } = await place.json<{ events: { kind: string; outcome: string; workspace: string }[] }>([
      ...["sessions", "show", thread.id],
    ]);
    expect(events.map((event) => event.kind)).toEqual(["session-start", "prompt", "call", "stop", "session-end"]);
    expect(events.find((event) => event.kind === "call")?.outcome).toBe("failed");
  });

  it("says a rule with the result of the call it warns against, in the shape of that result, and refuses what is denied", async () => {
    await place.json(["learn", "Push with `git push`.", "--command", "git psuh origin main"]);
    await place.json(["learn", "Never touch the lock.", "--command", "touch lock", "--level", "deny"]);
    await place.json(["install", "amp"]);
    const amp = await loaded();
    const touch = { ...psuh, toolUseID: "toolu_2", input: { cmd: "touch lock" } };
    expect(await amp.handlers.get("tool.call")?.(touch)).toEqual({
      action: "reject-and-continue",
      message: expect.stringMatching(/^Blocked by a rule: oldhand, rule \S+: Never touch the lock\./),
    });
    expect(await amp.handlers.get("tool.call")?.(psuh)).toEqual({ action: "allow" });
    const result = { ...psuh, status: "done", output: { output: failed, exitCode: 1 } };
    expect(await amp.handlers.get("tool.result")?.(result)).toEqual({
      status: "done",
      output: {
        exitCode: 1,
        output: expect.stringMatching(
          /^git: 'psuh'[^]*\n\n<oldhand>\noldhand, rule \S+: Push with `git push`\.\n<\/oldhand>$/,
        ),
      },
    });
    await amp.dispose();
  });

  it.each([
    ["a text", "one", /^one\n\n<oldhand>[^]*git push/],
    ["parts", [{ type: "text", text: "one" }], [{ type: "text", text: "one" }, { type: "text" }]],
    ["nothing", undefined, /^<oldhand>[^]*git push/],
  ])("adds to a result that is %s", async (_what, output, expected) => {
    await place.json(["learn", "Push with `git push`.", "--command", "git psuh origin main"]);
    await place.json(["install", "amp"]);
    const amp = await loaded();
    const said = await amp.handlers.get("tool.result")?.({ ...psuh, status: "done", output });
    expect(said).toMatchObject({
      status: "done",
      output: expected instanceof RegExp ? expect.stringMatching(expected) : expected,
    });
    await amp.dispose();
  });

  it("lets every call pass where oldhand is gone, or what Amp tells is another thing than documented", async () => {
    await place.json(["install", "amp"]);
    const amp = await loaded();
    for (const name of ["agent.start", "tool.call", "tool.result", "agent.end", "session.start"])
      expect(await amp.handlers.get(name)?.({})).toEqual(silence[name]);
    const file = pluginFile();
    writeFileSync(file, readFileSync(file, "utf8").replace("oldhand.cjs", "gone.cjs"));
    const gone = await loaded("gone");
    expect(await gone.handlers.get("tool.call")?.(psuh)).toEqual({ action: "allow" });
    await gone.dispose();
  });

  it("is written for one repository where that is asked for", async () => {
    const { files } = await place.json<{ files: { path: string }[] }>(["install", "amp", "--project", shop]);
    expect(files.map((file) => file.path)).toEqual([join(shop, ".amp", "plugins", "oldhand.ts")]);
  });

  it("holds no path of this machine where a team shares it", async () => {
    // Nothing arrives: there is no oldhand on the PATH here.
    await place.json(["install", "amp", "--project", shop, "--team"], { code: 1 });
    const text = readFileSync(join(shop, ".amp", "plugins", "oldhand.ts"), "utf8");
    expect(text).toContain('const command = ["oldhand","hook","amp","--team","--stream"];');
    expect(text).not.toContain(place.dir);
  });
});

const silence: Readonly<Record<string, unknown>> = { "agent.start": {}, "tool.call": { action: "allow" } };

function pluginFile(): string {
  return join(place.user, ".config", "amp", "plugins", "oldhand.ts");
}

/** Amp runs it with Bun. The file contains no TypeScript syntax, so Node can run it under another name. */
async function loaded(name = "plugin"): Promise<Amp> {
  const copy = join(place.dir, `${name}.mjs`);
  copyFileSync(pluginFile(), copy);
  const { default: plugin } = (await import(/* @vite-ignore */ pathToFileURL(copy).href)) as {
    default(amp: unknown): void;
  };
  const handlers = new Map<string, Handler>();
  const disposals: (() => Promise<void>)[] = [];
  // Several hosts run in this process one after the other; each needs its own plugin.
  Reflect.deleteProperty(globalThis, Symbol.for("oldhand amp"));
  plugin({
    on: (event: string, handler: Handler) => handlers.set(event, handler),
    onDispose: (callback: () => Promise<void>) => disposals.push(callback),
    system: { workspaceRoot: pathToFileURL(shop) },
    helpers: { filePathFromURI: (uri: URL) => uri.pathname },
  });
  return { handlers, dispose: async () => void (await Promise.all(disposals.map((callback) => callback()))) };
}
