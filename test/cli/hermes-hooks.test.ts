import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fixtures from "../../src/observe/hosts/hermes/fixtures/payloads.json" with { type: "json" };
import { newPlace, type Place, describeRun } from "../program.ts";

const { payloads } = fixtures;

let place: Place;
let folder: string;
let config: string;
beforeEach(() => {
  place = newPlace();
  folder = join(place.user, ".hermes");
  config = join(folder, "config.yaml");
  mkdirSync(folder);
});
afterEach(() => place.remove());

const theirs = `model: x # mine
hooks:
    pre_tool_call:
        - matcher: terminal
          command: ~/.hermes/agent-hooks/check.sh
mcp_servers:
    other:
        command: y
`;

const sendHook = (payload: unknown) => place.run(["hook", "hermes"], { stdin: JSON.stringify(payload) });

describe("our hooks in Hermes", () => {
  it("stand beside its user's, are tried, and are taken back to the byte", async () => {
    writeFileSync(config, theirs);
    const ran = await place.run(["install", "hermes"]);
    expect(ran.stdout, describeRun(ran)).toContain("Hermes: an event arrived through the command");
    expect(ran.stdout).toContain("Hermes is unverified: written from its documentation");
    const text = readFileSync(config, "utf8");
    expect(text).toContain("command: ~/.hermes/agent-hooks/check.sh\n");
    expect(text.match(/oldhand\.cjs hook hermes/g)).toHaveLength(5);
    // A hook that is late lets the call pass, after a short time.
    expect(text.match(/^ +timeout: 5$/gm)).toHaveLength(5);
    expect(text).not.toMatch(/fail_?closed/i);
    expect((await place.run(["install", "hermes"])).stdout).toContain("Everything is already in place.");
    await place.json(["uninstall"]);
    expect(readFileSync(config, "utf8")).toBe(theirs);
    expect(readdirSync(folder)).toEqual(["config.yaml"]);
  });

  it("leave with what others wrote since in place", async () => {
    writeFileSync(config, "model: x\n");
    await place.run(["install", "hermes"]);
    writeFileSync(config, `${readFileSync(config, "utf8")}since: 1\n`);
    await place.json(["uninstall"]);
    expect(readFileSync(config, "utf8")).toBe("model: x\nsince: 1\n");
  });

  it("have to be allowed by its user, which install and doctor say until it is done", async () => {
    writeFileSync(config, "model: x\n");
    const waiting = "Hermes: 5 hooks of oldhand are not allowed yet";
    expect((await place.run(["install", "hermes"])).stdout).toContain(waiting);
    expect((await place.run(["doctor"])).stdout).toContain(waiting);
    const command = JSON.parse(
      /command: (".*hook hermes.*")$/m.exec(readFileSync(config, "utf8"))?.[1] ?? '""',
    ) as string;
    const events = ["pre_llm_call", "pre_tool_call", "post_tool_call", "on_session_end", "on_session_finalize"];
    const approvals = events.map((event) => ({ event, command }));
    writeFileSync(join(folder, "shell-hooks-allowlist.json"), JSON.stringify({ approvals }));
    expect((await place.run(["doctor"])).stdout).not.toContain("not allowed yet");
  });

  it("are left out where the file's own are written in braces, and doctor says so", async () => {
    const flow = "hooks: {pre_tool_call: [{command: x}]}\n";
    writeFileSync(config, flow);
    await place.run(["install", "hermes"]);
    expect(readFileSync(config, "utf8")).toContain(flow);
    expect(readFileSync(config, "utf8")).not.toContain("hook hermes");
    expect((await place.run(["doctor"])).stdout).toContain("oldhand cannot edit the hooks in");
  });

  it("wait for a config.yaml of Hermes' own, which install and doctor say", async () => {
    const missing = "Hermes: there is no config.yaml yet, so no hooks were written\n    start hermes once, then:";
    for (const words of [["install", "hermes"], ["install", "hermes", "--dry-run"], ["doctor"]]) {
      const { stdout } = await place.run(words);
      expect(stdout.replaceAll("· ", "")).toContain(missing);
      expect(stdout).not.toMatch(/nothing to install|already in place|Hermes has no hooks/);
    }
    expect(readdirSync(folder)).toEqual([]);
  });

  it("are heard: a rule with the first prompt, a refusal of a call, and what calls came to", async () => {
    await place.json(["learn", "Push with `git push`: there is no psuh.", "--command", "git psuh origin main"]);
    await place.json(["learn", "Never touch the lock.", "--command", "touch lock", "--level", "deny"]);
    const first = await sendHook(payloads.firstTurn);
    expect(JSON.parse(first.stdout)).toEqual({ context: expect.stringContaining("there is no psuh") });
    expect(await sendHook(payloads.before)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const extra = { ...payloads.before.extra, tool_call_id: "call_3" };
    const denied = await sendHook({ ...payloads.before, tool_input: { command: "touch lock" }, extra });
    expect(JSON.parse(denied.stdout)).toEqual({
      action: "block",
      message: expect.stringMatching(/^Blocked by a rule: oldhand, rule \S+: Never touch the lock\./),
    });
    for (const payload of [payloads.exit1, payloads.turnEnd, payloads.finalize])
      expect(await sendHook(payload)).toMatchObject({ code: 0, stdout: "", stderr: "" });
    const { events } = await place.json<{ events: { kind: string; outcome: string | null }[] }>([
      ...["sessions", "show", payloads.before.session_id],
    ]);
    expect(events.map((event) => event.kind)).toEqual([
      ...["session-start", "prompt", "call", "call", "stop", "session-end"],
    ]);
    expect(events.flatMap((event) => event.outcome ?? [])).toEqual(["denied", "failed"]);
  });
});
