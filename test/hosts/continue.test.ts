import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Event } from "../../src/domain/event/event.ts";
import { type Client, type Drive, npmClient } from "./lab/client.ts";
import { describeHost, type DrivenHost } from "./lab/driven.ts";
import type { Lab, SessionRecord } from "./lab/lab.ts";
import { storedEvents } from "./lab/stored-events.ts";
import { listRequests } from "./lab/wire.ts";

const drive: Drive = {
  program: "cn",
  model: "openai",
  words: (prompt) => ["--auto", ...(prompt === null ? [] : ["-p", prompt])],
  env: () => ({ MODEL_URL: "{model}", CONTINUE_TELEMETRY_ENABLED: "0", CONTINUE_CLI_DISABLE_TELEMETRY: "1" }),
};

/** As a user writes it. */
const config = `name: mine # as its user wrote it
version: 0.0.1
schema: v1
models:
    - name: scripted
      provider: openai
      model: scripted
      apiBase: MODEL_URL
      apiKey: fake-key-not-real
      capabilities: [tool_use]
      roles: [chat]
mcpServers: []
`;

const shell = (command: string) => ({ tool: "Bash", input: { command } });
const advice = "Push with `git push`; psuh is a slip.";
const house = "# House rules\n\nBe kind.\n";

const client = withConfig(npmClient({ folder: "continue", package: "@continuedev/cli", version: "1.5.47" }, drive));
const continued: DrivenHost = {
  name: "continue",
  client,
  prepare: (lab) => {
    lab.write(config, ".continue", "config.yaml");
    lab.write(house, "..", "project", ".continue", "rules", "house.md");
  },
  shell,
  tool: (name, input) => ({ tool: name, input }),
};

/** It has no hooks, so only a small part of the common contract applies. */
describeHost(`Continue ${client.version}`, continued, ({ newLab }) => {
  let lab: Lab;
  let session: SessionRecord;
  let events: readonly Event[] = [];

  beforeAll(async () => {
    lab = newLab({ says: "calls" });
    expect(lab.oldhand("install", "continue").out).toMatch(/^Everything is already in place\.\n/);
    lab.json("learn", advice, "--command", "git psuh origin main");
    lab.json("export", "--host", "continue", "--workspace", lab.project, "--write");
    session = await lab.session({
      prompt: "push my branch",
      turns: [
        { calls: [shell("echo all is well")] },
        { calls: [shell("git psuh origin main")] },
        { calls: [{ tool: "report", input: { limit: 1 } }] },
        { text: "I give up." },
      ],
    });
    lab.json("import", "--from", "continue");
    events = await storedEvents(lab);
  });
  afterAll(() => lab.close());

  it("works as before", () => {
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(session.stdout).toContain("I give up.");
  });

  it("gives the model the rules of its rules file, and its owner's beside them", () => {
    const [first] = listRequests(session);
    expect(JSON.stringify(first?.body)).toContain("psuh is a slip");
    expect(JSON.stringify(first?.body)).toContain("Be kind.");
  });

  it("has oldhand among its MCP servers, which answers the model", () => {
    const names = listRequests(session).map(({ body }) =>
      (body as { tools: { function: { name: string } }[] }).tools.map((tool) => tool.function.name),
    );
    expect(names.at(-1)).toContain("report");
    expect(JSON.stringify(listRequests(session).at(-1)?.body)).toMatch(/"role":"tool"[^]*mistakes/);
  });

  it("is read from what it recorded, each thing once", () => {
    expect(events.map(({ kind, tool, outcome, head }) => ({ kind, tool, outcome, head }))).toEqual([
      { kind: "prompt", tool: null, outcome: null, head: null },
      { kind: "call", tool: "Bash", outcome: "ok", head: "echo" },
      { kind: "call", tool: "Bash", outcome: "failed", head: "git psuh" },
      expect.objectContaining({ kind: "call", tool: "report", outcome: "ok" }),
    ]);
    expect(events[2]).toMatchObject({ host: "continue", exitCode: 1, cwd: lab.project });
    expect(lab.json("import", "--from", "continue")).toMatchObject({ events: 0 });
  });

  it("is told of as what it is: without hooks, with MCP, a rules file and transcripts", () => {
    const { hosts } = lab.json<{ hosts: { host: string }[] }>("hosts", "list");
    expect(hosts.find((one) => one.host === "continue")).toMatchObject({
      state: "no hooks",
      installed: false,
      ways: [
        { way: "mcp", wired: true },
        { way: "rules file", wired: null },
        { way: "transcripts", wired: null },
      ],
    });
  });

  it("takes everything back to the byte", () => {
    expect(lab.oldhand("uninstall")).toMatchObject({ status: 0, err: "" });
    expect(lab.read(".continue", "config.yaml")).toBe(config);
    lab.json("export", "--host", "continue", "--workspace", lab.project, "--remove", "--write");
    expect(existsSync(join(lab.project, ".continue", "rules", "oldhand.md"))).toBe(false);
    expect(readFileSync(join(lab.project, ".continue", "rules", "house.md"), "utf8")).toBe(house);
  });
});

/** The model's address is known only when a session begins, so Continue reads it from a copy of its settings. */
function withConfig(continued: Client): Client {
  if (continued.kind === "absent") return continued;
  const copy = '"$TMPDIR/config.yaml"';
  const write = `sed "s|MODEL_URL|$MODEL_URL|" "$HOME/.continue/config.yaml" > ${copy}; exec "$0" --config ${copy} "$@"`;
  return { ...continued, command: ["sh", "-c", write, ...continued.command] };
}
