import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { iso, systemClock } from "../../src/lib/clock.ts";
import { serveFrom } from "../http/serving.ts";
import { newPlace, type Place, type RunOptions } from "../program.ts";

let place: Place;
let shop: string;
let projects: string;
beforeEach(() => {
  place = newPlace();
  shop = join(place.dir, "shop");
  projects = join(place.user, ".claude", "projects", "-shop");
  mkdirSync(shop, { recursive: true });
  mkdirSync(projects, { recursive: true });
});
afterEach(() => place.remove());

const transcriptOf = (session: string) => join(projects, `${session}.jsonl`);

/** Runs a hook as Claude Code does. */
async function fire(session: string, event: string, over: object = {}, options: RunOptions = {}): Promise<string> {
  const hookPayload = {
    session_id: session,
    transcript_path: transcriptOf(session),
    cwd: shop,
    hook_event_name: event,
    ...over,
  };
  const ran = await place.run(["hook", "claude-code"], { ...options, stdin: JSON.stringify(hookPayload) });
  expect(ran).toMatchObject({ code: 0, stderr: "" });
  return ran.stdout;
}

let calls = 0;
/** A call that its host only writes to the transcript, like a refused one. */
function recorded(session: string, command: string, cwd = shop): void {
  const id = `toolu_${++calls}`;
  const line = (type: string, content: object) =>
    `${JSON.stringify({ type, sessionId: session, cwd, timestamp: iso(systemClock.now()), uuid: `${type}${id}`, message: { role: type, content: [content] } })}\n`;
  appendFileSync(
    transcriptOf(session),
    line("assistant", { type: "tool_use", id, name: "Bash", input: { command } }) +
      line("user", { type: "tool_result", tool_use_id: id, content: "unknown option", is_error: true }),
  );
}

/** Times have millisecond resolution; events before and after a switch must not have the same time. */
async function later(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

async function stored(): Promise<readonly string[]> {
  const { sessions } = await place.json<{ sessions: { id: string }[] }>(["sessions", "list"]);
  const all: string[] = [];
  for (const { id } of sessions) {
    const { events } = await place.json<{ events: { kind: string; summary: string }[] }>(["sessions", "show", id]);
    all.push(...events.filter((event) => event.kind === "call").map((event) => event.summary));
  }
  return all.toSorted();
}

async function switched(...words: string[]): Promise<void> {
  await later();
  await place.json(words);
  await later();
}

describe("off is off", () => {
  it("what happened while off is read by no hook after `on`, in a session that was running or in the next", async () => {
    await fire("s1", "SessionStart", { source: "startup" });
    recorded("s1", "make before");
    await switched("off");
    recorded("s1", "make secret");
    expect(await fire("s1", "UserPromptSubmit", { prompt: "go on" })).toBe("");
    await switched("on");
    recorded("s1", "make after");
    await fire("s1", "Stop", { stop_hook_active: false });
    const said = await fire("s2", "SessionStart", { source: "startup" });
    expect(said).not.toContain("secret");
    expect(await stored()).toEqual(["make after", "make before"]);
  });

  it("a session that may have ended while off is not at work, until something is heard of it again", async () => {
    const call = (id: string) =>
      fire("s1", "PostToolUse", { tool_name: "Bash", tool_input: { command: "make tea" }, tool_use_id: id });
    const start = (session: string) => fire(session, "SessionStart", { source: "startup" });
    await call("t1");
    expect(await start("s2")).toContain("Other sessions at work");
    await switched("off");
    await fire("s1", "SessionEnd", { reason: "other" });
    await switched("on");
    expect(await place.json(["sessions", "live"])).toEqual({ sessions: [] });
    expect(await start("s3")).not.toContain("at work");
    await call("t2");
    expect(await start("s4")).toContain("Other sessions at work");
  });

  it("import leaves it out and says so; --include-off brings it in", async () => {
    recorded("s1", "make before");
    await switched("off");
    recorded("s1", "make secret");
    await switched("on");
    recorded("s1", "make after");
    const first = await place.json<{ events: number; leftOut: unknown }>(["import"]);
    expect(first).toMatchObject({
      events: 2,
      leftOut: [{ what: "events from while oldhand was off", count: 1, why: expect.stringContaining("--include-off") }],
    });
    expect(await stored()).toEqual(["make after", "make before"]);
    expect(await place.json(["import", transcriptOf("s1")])).toMatchObject({ events: 0 });
    expect(await place.json(["import", "--include-off"])).toMatchObject({ events: 1 });
    expect(await stored()).toEqual(["make after", "make before", "make secret"]);
  });

  it("in one folder, it is off there alone", async () => {
    const blog = join(place.dir, "blog");
    mkdirSync(blog);
    await switched("off", "--workspace", shop);
    recorded("s1", "make secret");
    recorded("s2", "make other", blog);
    expect(await place.json(["import"])).toMatchObject({ events: 1 });
    await switched("on", "--workspace", shop);
    recorded("s1", "make after");
    await place.json(["import"]);
    expect(await stored()).toEqual(["make after", "make other"]);
  });

  it("OLDHAND_OFF=1 keeps a whole session out, and leaves nothing of it but a hash and a time", async () => {
    await place.json(["import"]);
    const env = { OLDHAND_OFF: "1" };
    await fire("s1", "SessionStart", { source: "startup" }, { env });
    recorded("s1", "make secret");
    await fire(
      "s1",
      "PreToolUse",
      { tool_name: "Bash", tool_input: { command: "make secret" }, tool_use_id: "t" },
      { env },
    );
    recorded("s2", "make other");
    expect(await place.json(["import"])).toMatchObject({ events: 1 });
    expect(await stored()).toEqual(["make other"]);
    const notes = readdirSync(join(place.home, "off"), { recursive: true, encoding: "utf8" })
      .map((name) => join(place.home, "off", name))
      .filter((path) => !path.endsWith("sessions"));
    expect(notes).toHaveLength(1);
    expect(readFileSync(notes[0] ?? "", "utf8")).toMatch(/^\{"from":\d+,"to":null\}$/);
    // Resumed without the variable, the session is observed again from there on.
    await fire("s1", "SessionStart", { source: "resume" });
    await later();
    recorded("s1", "make after");
    await fire("s1", "Stop", { stop_hook_active: false });
    await place.json(["import"]);
    expect(await stored()).toEqual(["make after", "make other"]);
  });

  it("switched by hand in the settings file, it is off from then on too", async () => {
    await fire("s1", "SessionStart", { source: "startup" });
    writeFileSync(join(place.home, "config.json"), '{"off": true}');
    await later();
    await fire("s1", "UserPromptSubmit", { prompt: "go on" });
    recorded("s1", "make secret");
    await later();
    writeFileSync(join(place.home, "config.json"), "{}");
    await later();
    recorded("s1", "make after");
    await fire("s1", "Stop", { stop_hook_active: false });
    expect(await stored()).toEqual(["make after"]);
  });

  it("a home that does not exist is not made for it", async () => {
    await fire("s1", "SessionStart", { source: "startup" }, { env: { OLDHAND_OFF: "1" } });
    expect(existsSync(place.home)).toBe(false);
  });

  it("status of a server that runs already says so at once", async () => {
    const serving = await serveFrom(place);
    try {
      const isOff = async () => (await serving.call<{ off: boolean }>("status")).body.off;
      expect(await isOff()).toBe(false);
      await place.json(["off"]);
      expect(await isOff()).toBe(true);
    } finally {
      await serving.stop();
    }
  });
});

describe("off in one folder is visible there", () => {
  const inShop = (...words: string[]) => place.run(words, { cwd: shop });

  it("status, match and on say so, until it is on again there", async () => {
    const learned = await inShop("learn", "No force.", "--command", "git push --force");
    expect(learned.stdout).toContain("It is valid in all workspaces; add --workspace . for this folder only.");
    expect((await inShop("status")).stdout).not.toContain("switched off");
    await inShop("off", "--workspace", ".");
    expect((await inShop("status")).stdout).toContain("switched off in this folder (oldhand on --workspace .)");
    expect((await place.run(["status"])).stdout).toContain(`switched off in ${shop}`);
    expect((await inShop("match", "git push --force")).stdout).toMatch(/nudge .*\noldhand is off there/s);
    expect((await inShop("on")).stdout).toBe("On. This folder is still off: oldhand on --workspace .\n");
    expect((await place.run(["on"])).stdout).toBe("On.\n");
    expect((await inShop("on", "--workspace", ".")).stdout).toBe(`On in ${shop}.\n`);
    expect((await inShop("match", "git push --force")).stdout).not.toContain("switched off");
  });

  it("a folder that does not exist is a mistake", async () => {
    const ran = await place.run(["off", "--workspace", join(place.dir, "nope")]);
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining("there is no folder")]);
    expect(ran.stderr).toContain("oldhand off --workspace .");
  });
});
