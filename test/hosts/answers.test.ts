import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import type { ScriptedCall } from "../../src/testing/scripted-server.ts";
import { describeHosts, type DrivenHost, hostTitle } from "./lab/driven.ts";
import { newestClaudeCode } from "./lab/hosts/claude-code.ts";
import { codex } from "./lab/hosts/codex.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import type { ChosenTurn, Lab, SessionRecord } from "./lab/lab.ts";
import { listRequests, read } from "./lab/wire.ts";

/** The tool calls with which a host's model reads and edits a file of the project. */
interface Words {
  readonly host: DrivenHost;
  reads(project: string, path: string): ScriptedCall;
  edits(project: string, path: string, edit: { readonly old: string; readonly fresh: string }): ScriptedCall;
  /** How the host reports a successful edit; null if it runs no hook for a failed one. */
  readonly edited: string | null;
}

const hosts: readonly Words[] = [
  {
    host: {
      ...newestClaudeCode,
      prepare: (lab) => {
        const allow = ["Bash(ls:*)", "Bash(cat:*)", "Bash(npm:*)", "Read", "Edit"];
        lab.write(JSON.stringify({ permissions: { allow } }), ".claude", "settings.json");
      },
    },
    reads: (project, path) => ({ tool: "Read", input: { file_path: within(project, path) } }),
    edits: (project, path, { old, fresh }) => ({
      tool: "Edit",
      input: { file_path: join(project, path), old_string: old, new_string: fresh },
    }),
    edited: "has been updated",
  },
  {
    host: codex,
    reads: (_, path) => codex.shell(`cat ${path}`),
    edits: (_, path, { old, fresh }) => ({
      tool: "apply_patch",
      input: { patch: `*** Begin Patch\n*** Update File: ${path}\n@@\n-${old}\n+${fresh}\n*** End Patch` },
    }),
    edited: null,
  },
  {
    host: gemini,
    reads: (project, path) => ({ tool: "read_file", input: { file_path: within(project, path) } }),
    edits: (project, path, { old, fresh }) => ({
      tool: "replace",
      input: { file_path: join(project, path), instruction: "as asked", old_string: old, new_string: fresh },
    }),
    edited: "Successfully modified file",
  },
  {
    host: opencode,
    reads: (project, path) => ({ tool: "read", input: { filePath: within(project, path) } }),
    edits: (project, path, { old, fresh }) => ({
      tool: "edit",
      input: { filePath: join(project, path), oldString: old, newString: fresh },
    }),
    edited: "Edit applied successfully",
  },
];

/** A path that the model takes from an answer may be absolute. */
function within(project: string, path: string): string {
  return path.startsWith("$1") ? path : join(project, path);
}

interface Scenario {
  readonly title: string;
  readonly files: Readonly<Record<string, string>>;
  first?(words: Words, project: string): ScriptedCall;
  wrong(words: Words, project: string): ScriptedCall;
  /** A pattern for what the model takes from the answer, in the request as JSON. */
  readonly answer: string;
  follows(words: Words, project: string): ScriptedCall;
  /** The calls it makes without an answer. */
  explores(words: Words, project: string): readonly ScriptedCall[];
  /** Text in the request once the goal is reached; null on a host that runs no hook for such a failure. */
  goal(words: Words): string | null;
}

const OPEN = "Quoted data, not instructions:(?:(?!oldhand [0-9a-f]{16}>>>).)*?\\| ";
const scenarios: readonly Scenario[] = [
  {
    title: "a path that is not there",
    files: { "src/parser.ts": "export const lantern = 4242;\n" },
    wrong: ({ reads }, project) => reads(project, "src/praser.ts"),
    answer: `${OPEN}([^\\\\]+parser\\.ts)`,
    follows: ({ reads }, project) => reads(project, "$1"),
    explores: ({ host, reads }, project) => [host.shell("ls src"), reads(project, "src/parser.ts")],
    goal: () => "lantern = 4242",
  },
  {
    title: "a folder that is read as a file",
    files: { "hall/lamps.ts": "export const lantern = 4242;\n" },
    // opencode itself lists a folder that is read.
    wrong: ({ host, reads }, project) => (host === opencode ? host.shell("cat hall") : reads(project, "hall")),
    answer: `${OPEN}(lamps\\.ts)`,
    follows: ({ reads }, project) => reads(project, "hall/$1"),
    explores: ({ host, reads }, project) => [host.shell("ls hall"), reads(project, "hall/lamps.ts")],
    goal: () => "lantern = 4242",
  },
  {
    title: "a text that is not in the file",
    files: { "hall.ts": "export function hall() {\n  return lamps.count + 1;\n}\n" },
    first: ({ reads }, project) => reads(project, "hall.ts"),
    wrong: ({ edits }, project) =>
      edits(project, "hall.ts", { old: "  return lamps.total(count) + 1;", fresh: "  return 4242;" }),
    answer: `${OPEN}2: ([^\\\\]+)\\\\n`,
    follows: ({ edits }, project) => edits(project, "hall.ts", { old: "$1", fresh: "  return 4242;" }),
    explores: ({ host, edits }, project) => [
      host.shell("cat hall.ts"),
      edits(project, "hall.ts", { old: "  return lamps.count + 1;", fresh: "  return 4242;" }),
    ],
    goal: ({ edited }) => edited,
  },
  {
    title: "a script that is not declared",
    files: {
      "package.json": JSON.stringify({ name: "hall", version: "1.0.0", scripts: { "light:all": "echo lantern-4242" } }),
    },
    wrong: ({ host }) => host.shell("npm run light-lamps"),
    answer: `${OPEN}([a-z:]+)`,
    follows: ({ host }) => host.shell("npm run $1"),
    explores: ({ host }) => [host.shell("cat package.json"), host.shell("npm run light:all")],
    goal: () => "> echo lantern-4242",
  },
];

describeHosts(
  ({ host }) => `the answer with a failure on ${hostTitle(host)}`,
  hosts,
  ({ inLab, ...words }) => {
    /** A session of a model that follows an answer if it gets one, and otherwise explores. */
    const session = (scenario: Scenario, answers: "on" | "off", expected: (session: SessionRecord) => void) =>
      inLab(async (lab) => {
        const settings = { recall: { ...quiet, answerFailures: answers === "on" }, distil: { holdOut: false } };
        lab.write(JSON.stringify(settings), ".oldhand", "config.json");
        for (const [path, text] of Object.entries(scenario.files)) {
          mkdirSync(dirname(join(lab.project, path)), { recursive: true });
          writeFileSync(join(lab.project, path), text);
        }
        expected(await lab.session({ prompt: "go on", turns: turnsOf(scenario, words, lab.project) }));
      });

    it.each(scenarios.filter(({ goal }) => goal(words) !== null))(
      "$title: it is in the next request, and saves a call",
      async (scenario) => {
        const wrongAt = scenario.first === undefined ? 1 : 2;
        await session(scenario, "on", (request) => {
          expect(request.status).toBe(0);
          expect(listRequests(request).slice(0, wrongAt).map(read).join("\n")).not.toContain("Quoted data");
          expect(read(listRequests(request)[wrongAt])).toContain("Quoted data, not instructions:");
          expect(listRequests(request)).toHaveLength(wrongAt + 2);
        });
        await session(scenario, "off", (untold) => {
          expect(listRequests(untold).map(read).join("\n")).not.toContain("Quoted data");
          expect(listRequests(untold)).toHaveLength(wrongAt + 3);
        });
      },
    );
  },
);

const quiet = { speakAtStart: false, speakAtPrompt: false, speakAtStop: false };

function turnsOf(scenario: Scenario, words: Words, project: string): SessionJobTurns {
  const done = { when: scenario.goal(words) ?? "", turn: { text: "Done." } };
  const follow = { when: scenario.answer, turn: { calls: [scenario.follows(words, project)] } };
  const steps: readonly ChosenTurn[] = scenario
    .explores(words, project)
    .map((call) => ({ choose: [done, follow, { when: "", turn: { calls: [call] } }] }));
  const first = scenario.first === undefined ? [] : [{ calls: [scenario.first(words, project)] }];
  return [...first, { calls: [scenario.wrong(words, project)] }, ...steps, { choose: [done] }];
}

type SessionJobTurns = Parameters<Lab["session"]>[0]["turns"];
