import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newPlace, type Place, program } from "../program.ts";

let place: Place;
let shop: string;
beforeEach(async () => {
  place = newPlace();
  shop = join(place.dir, "shop");
  mkdirSync(join(shop, ".git"), { recursive: true });
  await place.json(["remember", "The staging database listens on port 5433", "--workspace", shop]);
});
afterEach(() => place.remove());

/** Reports one event like a host with hooks in three places: three processes at once. */
async function sendThrice(event: string, over: object): Promise<readonly string[]> {
  const hookPayload = { session_id: "s1", transcript_path: "none", cwd: shop, hook_event_name: event, ...over };
  const stdin = JSON.stringify(hookPayload);
  const ran = await Promise.all([1, 2, 3].map(() => place.run(["hook", "claude-code"], { stdin })));
  for (const one of ran) expect(one).toMatchObject({ code: 0, stderr: "" });
  return ran.map((one) => one.stdout).filter(Boolean);
}

async function kinds(): Promise<readonly string[]> {
  const { events } = await place.json<{ events: { kind: string }[] }>(["sessions", "show", "s1"]);
  return events.map((event) => event.kind);
}

describe("a host with our hooks in several places", () => {
  it("is heard once, at the start, with a prompt, at a stop and at the end", async () => {
    const started = await sendThrice("SessionStart", { source: "startup" });
    expect(started).toHaveLength(1);
    expect(started[0]).toContain("5433");
    await sendThrice("UserPromptSubmit", { prompt: "deploy" });
    const call = { tool_name: "Bash", tool_input: { command: "make deploy" }, tool_use_id: "t1" };
    await sendThrice("PostToolUseFailure", { ...call, error: "Exit code 2\nno rule to make target" });
    await sendThrice("Stop", { stop_hook_active: false });
    await sendThrice("Stop", { stop_hook_active: true });
    await sendThrice("SessionEnd", { reason: "other" });
    expect(await kinds()).toEqual(["session-start", "prompt", "call", "stop", "stop", "session-end"]);
  });

  it("a second turn with the same words is a turn of its own", async () => {
    for (let turn = 0; turn < 2; turn++) {
      await sendThrice("UserPromptSubmit", { prompt: "go on" });
      await sendThrice("Stop", { stop_hook_active: false });
    }
    expect(await kinds()).toEqual(["prompt", "stop", "prompt", "stop"]);
  });

  it("is named by doctor, with what to remove", async () => {
    mkdirSync(join(place.user, ".claude"));
    // The plugin is only for versions that support it, so a program must report the version.
    const bin = join(place.dir, "bin");
    mkdirSync(bin);
    writeFileSync(join(bin, "claude"), "#!/bin/sh\necho 2.1.325\n");
    chmodSync(join(bin, "claude"), 0o755);
    const env = { PATH: `${bin}:${process.env["PATH"] ?? ""}` };
    const findings = async () => {
      const result = await place.json<{ findings: { what: string; hint: string | null }[] }>(["doctor"], {
        env,
        cwd: shop,
      });
      return result.findings.filter(({ what }) => what.includes("places"));
    };
    await place.run(["install", "claude-code"], { env });
    expect(await findings()).toEqual([]);
    await place.run(["install", "claude-code", "--project", shop], { env });
    const [twice, ...none] = await findings();
    expect(none).toEqual([]);
    expect(twice?.what).toMatch(
      /^Claude Code: its hooks are installed in 2 places: the plugin, .*settings\.local\.json/,
    );
    expect(twice?.hint).toBe(`oldhand uninstall claude-code --project ${shop}`);
    // A third wiring, made by hand.
    const mine = join(place.user, ".claude", "settings.json");
    const hook = { type: "command", command: `${process.execPath} ${program} hook claude-code` };
    const settings = JSON.parse(readFileSync(mine, "utf8")) as object;
    writeFileSync(mine, JSON.stringify({ ...settings, hooks: { Stop: [{ hooks: [hook] }] } }));
    const [thrice] = await findings();
    expect(thrice?.what).toContain("in 3 places");
    expect(thrice?.hint).toContain(`remove the hooks that end in "hook claude-code" from ${mine}`);
  });
});
