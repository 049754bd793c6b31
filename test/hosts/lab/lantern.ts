import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { HOUR, iso, SECOND, systemClock } from "../../../src/lib/clock.ts";
import type { ScriptedTurn } from "../../../src/testing/scripted-server.ts";
import type { DrivenHost } from "./driven.ts";
import { newestClaudeCode } from "./hosts/claude-code.ts";
import type { Lab, SessionRecord } from "./lab.ts";

/** The mistake of the scenarios: the project's publisher has `--track`, and the agent uses `--channel`. */
export const WRONG = "./tools/lantern publish --channel beta";
export const RIGHT = "./tools/lantern publish --track beta";

/** Adds the publisher to a project; in some projects `--channel` works. */
export function withLantern(project: string, channel: "fails" | "works" = "fails"): string {
  mkdirSync(join(project, "tools"), { recursive: true });
  const refusal = `echo "lantern: error: unrecognized arguments: --channel" >&2; exit 2`;
  const file = join(project, "tools", "lantern");
  writeFileSync(
    file,
    `#!/bin/sh\necho "$*" >> ran\ncase "$*" in *--channel*) ${channel === "fails" ? refusal : ":"};; esac\necho published\n`,
  );
  chmodSync(file, 0o755);
  return project;
}

/** The arguments of each run of the publisher in a project. */
export function runsOf(project: string): readonly string[] {
  const file = join(project, "ran");
  return existsSync(file) ? readFileSync(file, "utf8").trimEnd().split("\n") : [];
}

/** The newest Claude Code with all commands allowed. */
export const claude: DrivenHost = {
  ...newestClaudeCode,
  prepare: (lab) =>
    lab.write(JSON.stringify({ permissions: { allow: ["Bash", "Agent"] } }), ".claude", "settings.json"),
};

export function calls(host: DrivenHost, ...commands: readonly string[]): readonly ScriptedTurn[] {
  return commands.map((command) => ({ calls: [host.shell(command)] }));
}

/** Runs sessions that make the mistake once each and then do it right. */
export async function publish(
  lab: Lab,
  host: DrivenHost,
  { times, cwd }: { readonly times: number; readonly cwd: string },
): Promise<readonly SessionRecord[]> {
  const sessions: SessionRecord[] = [];
  for (let n = 0; n < times; n++) {
    const turns = [...calls(host, WRONG, RIGHT), { text: "Published." }, { text: "It is published." }];
    sessions.push(await lab.session({ prompt: "publish the beta", cwd, turns }));
    await host.settle?.(lab);
  }
  return sessions;
}

/** The same as imported sessions, for labs in which real sessions would take too long. */
export function importMistakes(lab: Lab, times: number): void {
  const line = (n: number, seq: number, command: string, error: string | null) => ({
    session: `earlier-${n}`,
    seq,
    ts: iso(systemClock.now() - (times - n) * HOUR + seq * SECOND),
    cwd: lab.project,
    tool: "Bash",
    input: { command },
    ok: error === null,
    ...(error === null ? {} : { error_text: error }),
  });
  const lines = Array.from({ length: times }, (_, n) => [
    line(n, 1, WRONG, "Exit code 2\nlantern: error: unrecognized arguments: --channel"),
    line(n, 2, RIGHT, null),
  ]);
  const file = join(lab.folder, "earlier.jsonl");
  writeFileSync(
    file,
    lines
      .flat()
      .map((one) => `${JSON.stringify(one)}\n`)
      .join(""),
  );
  lab.json("import", file, "--from", "neutral");
}

export interface LabRule {
  readonly id: string;
  readonly text: string;
  readonly level: string;
  readonly status: string;
  readonly scope: { readonly kind: string; readonly workspace?: string };
  readonly matcher: Readonly<Record<string, unknown>> | null;
}

/** The strongest rule about the publisher. The sessions' own hooks may have created it already. */
export function lanternRule(lab: Lab): LabRule {
  lab.json("distil", "--write");
  const rules = lab.json<readonly LabRule[]>("rules").filter((one) => one.text.includes("lantern"));
  const [rule] = rules.toSorted((a, b) => levels.indexOf(b.level) - levels.indexOf(a.level));
  if (rule === undefined) throw new Error("no rule was made");
  return rule;
}

const levels = ["watch", "advise", "nudge", "ask", "deny"];

/** Prevents Claude Code's questions at its first start in its own screen. */
export function onboard(lab: Lab): void {
  lab.write(
    JSON.stringify({
      hasCompletedOnboarding: true,
      theme: "dark",
      customApiKeyResponses: { approved: ["fake-key-not-real"], rejected: [] },
      projects: { [lab.project]: { hasTrustDialogAccepted: true, allowedTools: [] } },
    }),
    ".claude.json",
  );
}
