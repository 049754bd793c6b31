import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import type { ModelRequest } from "../../src/testing/scripted-server.ts";
import { gemini, geminiSettings } from "./lab/hosts/gemini.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { asked } from "./lab/wire.ts";

const policy = `[[rule]]
toolName = "run_shell_command"
commandPrefix = "shred"
decision = "deny"
priority = 999
`;

const shell = "run_shell_command";
const working = { tool: shell, input: { command: "echo all is well", description: "say so" } };
const failing = { tool: shell, input: { command: "git psuh origin main", description: "push" } };
const missing = { tool: "read_file", input: { file_path: "gone.txt" } };
const unfit = { tool: "replace", input: { file_path: "gone.txt" } };
const denied = { tool: shell, input: { command: "shred notes.txt", description: "destroy" } };

const advice = "Push with `git push`; psuh is a slip.";

const alone = loopbackOnly();
const { client } = gemini;

describe(`Gemini CLI ${client.version}`, () => {
  if (alone === null || client.kind === "absent") {
    const why = client.kind === "absent" ? client.why : "no network namespace can be made here";
    it.skip(`is driven offline (skipped: ${why})`, () => {});
    return;
  }

  const lab = new Lab(client, alone);
  let session: SessionRecord;
  let learnt: { readonly rule: { readonly id: string } };
  let events: readonly Event[] = [];
  const call = (name: string) => events.find((event) => JSON.stringify(event.input)?.includes(name));

  beforeAll(async () => {
    lab.write(geminiSettings, ".gemini", "settings.json");
    lab.write(policy, ".gemini", "policies", "ours.toml");
    expect(lab.oldhand("install", "gemini")).toMatchObject({ status: 0, err: "" });
    expect(lab.oldhand("install", "gemini").out).toMatch(/^Everything is already in place\.\n/);
    learnt = lab.json("learn", advice, "--command", "git psuh origin main");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [working] },
        { calls: [failing] },
        { calls: [failing] },
        { calls: [missing, working] },
        { calls: [unfit] },
        { calls: [denied] },
        { text: "I give up." },
      ],
    });
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("has oldhand among its MCP servers", () => {
    expect(JSON.stringify(session.requests.map((one) => one.body))).toContain("mcp_oldhand_report");
  });

  it("works as without hooks, and says nothing about them", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
    expect(session.stderr).not.toMatch(/hook/i);
  });

  it("tells the session from its start to its end, each thing once", () => {
    const kinds = events.map((event) => event.kind).toSorted();
    const calls = Array.from({ length: 7 }, () => "call");
    expect(kinds).toEqual([...calls, "prompt", "session-end", "session-start", "stop"]);
    expect(new Set(events.map((event) => `${event.host} ${event.workspace} ${event.cwd}`))).toEqual(
      new Set([`gemini ${lab.project} ${lab.project}`]),
    );
    expect(events.find((event) => event.kind === "prompt")?.text).toBe("push my branch");
  });

  it("stores a call that went well", () => {
    expect(call("all is well")).toMatchObject({
      tool: shell,
      head: "echo",
      input: working.input,
      ok: true,
      outcome: "ok",
      error: null,
      signature: null,
      text: expect.stringContaining("Output: all is well"),
      agent: null,
    });
  });

  it("stores a command that failed, whose exit code only the text tells", () => {
    expect(call("psuh")).toMatchObject({
      tool: shell,
      head: "git psuh",
      input: failing.input,
      outcome: "failed",
      benign: false,
      exitCode: 1,
      error: expect.stringMatching(/^git: 'psuh' is not a git command\./),
      signature: expect.stringMatching(/./),
    });
  });

  it("stores a tool's error", () => {
    expect(call('"gone.txt"}')).toMatchObject({ outcome: "failed", error: expect.stringContaining("gone.txt") });
  });

  it("stores calls that fired no hook, from the transcript: unfit ones, and those a policy forbade", () => {
    const replace = events.find((event) => event.tool === "replace");
    expect(replace).toMatchObject({ outcome: "failed", error: expect.stringContaining("required property") });
    expect(call("shred")).toMatchObject({
      tool: shell,
      head: "shred",
      outcome: "denied",
      error: expect.stringContaining("denied by policy"),
      signature: null,
      model: "gemini-2.5-flash",
    });
  });

  it("puts the rule before the model with the result of the call it warns against, once", () => {
    const [, afterWorking, afterFailing] = asked(session);
    expect(JSON.stringify(afterWorking)).not.toContain("oldhand, rule");
    const said = `<hook_context>oldhand, rule ${learnt.rule.id}: ${advice}</hook_context>`;
    expect(outputsOf(afterFailing).at(-1)).toContain(said);
    expect(JSON.stringify(asked(session).at(-1)).split("oldhand, rule").length - 1).toBe(1);
  });

  it("adds nothing when the same session is imported from its transcript", () => {
    const [file = ""] = lab.find(".gemini/tmp", ".jsonl");
    expect(lab.json("import", file)).toMatchObject({ events: 0 });
  });

  it("gives a mind that had no hooks the same calls and prompt", async () => {
    const [file = ""] = lab.find(".gemini/tmp", ".jsonl");
    const elsewhere = `${lab.folder}/elsewhere`;
    expect(lab.json("import", file, "--home", elsewhere)).toMatchObject({ sessions: 1, events: 8, failures: 4 });
  });

  it("is told what is known when it starts, and stops with its own words where nobody is at its screen", async () => {
    using speaking = new Lab(client, alone, "everything");
    speaking.write(geminiSettings, ".gemini", "settings.json");
    speaking.oldhand("install", "gemini");
    speaking.oldhand("remember", "The owner prefers Rust.");
    const told = await speaking.session({
      prompt: "push my branch",
      turns: [{ calls: [failing] }, { text: "I give up." }],
    });
    expect(told).toMatchObject({ status: 0, remaining: 0 });
    const requests = asked(told).map((one) => JSON.stringify(one.body));
    expect(requests[0]).toContain("| The owner prefers Rust.");
    expect(requests).toHaveLength(2);
    const prompts = (await storedEvents(speaking)).filter((event) => event.kind === "prompt");
    expect(prompts.map((event) => event.text)).toEqual(["push my branch"]);
  });

  it("takes everything back to the byte", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read(".gemini", "settings.json")).toBe(geminiSettings);
  });

  it("wires one repository only, and leaves nothing behind", () => {
    expect(lab.oldhand("install", "gemini", "--project", lab.project).status).toBe(0);
    expect(lab.read("..", "project", ".gemini", "settings.json")).toContain("hook gemini");
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read("..", "project", ".gemini", "settings.json")).toBeNull();
    expect(lab.read(".gemini", "settings.json")).toBe(geminiSettings);
  });
});

interface Body {
  readonly contents: readonly {
    readonly parts: readonly { readonly functionResponse?: { readonly response: { readonly output?: string } } }[];
  }[];
}

function outputsOf(request: ModelRequest | undefined): readonly string[] {
  const { contents } = (request?.body ?? { contents: [] }) as Body;
  return contents.flatMap(({ parts }) => parts.flatMap((part) => part.functionResponse?.response.output ?? []));
}
