import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { describeHost, describeHosts, type DrivenHost, hostTitle } from "./lab/driven.ts";
import { newestClaudeCode, oldClaudeCode } from "./lab/hosts/claude-code.ts";
import { cline } from "./lab/hosts/cline.ts";
import { codex } from "./lab/hosts/codex.ts";
import { copilot } from "./lab/hosts/copilot.ts";
import { droid } from "./lab/hosts/droid.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import { pi } from "./lab/hosts/pi.ts";
import { qwen } from "./lab/hosts/qwen.ts";
import type { Lab, SessionJob, SessionRecord } from "./lab/lab.ts";
import { drawn, listRequests, read, startBlock, wire } from "./lab/wire.ts";

/** After this many failures, each in a separate session, the next session starts with the rule. */
const FAILURES = 3;
/** On a busy machine a slice may end early and need another session; at most this many more. */
const SPARE = 3;

interface Unattended {
  readonly host: DrivenHost;
  readonly way: string;
  /** The index of the first request with the advice of session start. */
  readonly start: 0 | 1;
  /** How often the client's output mentions the rule to the user. */
  readonly linesShown: readonly number[];
  /** Expected in the rule's sentence: what to do instead, if the host reports calls in order. */
  readonly says?: string;
  /** Arguments instead of `oldhand install HOST`. */
  readonly install?: readonly string[];
}

const once = [1];
const never = [0];

const hosts: readonly Unattended[] = [
  { host: newestClaudeCode, way: "plugin", start: 0, linesShown: once },
  {
    host: newestClaudeCode,
    way: "command hooks",
    start: 0,
    linesShown: once,
    install: ["claude-code", "--project", "."],
  },
  // Without a screen it prints hook output at session start, but not at a stop.
  { host: oldClaudeCode, way: "command hooks", start: 0, linesShown: [0, 1] },
  // Without a screen these print hook messages for the user on stderr.
  ...[gemini, qwen].map((host): Unattended => ({ host, way: "as installed", start: 0, linesShown: once })),
  // Without a screen these show nothing; the message waits, see below.
  ...[codex, opencode, pi].map((host): Unattended => ({ host, way: "as installed", start: 0, linesShown: never })),
  { host: copilot, way: "as installed", start: 0, linesShown: never },
  // A failure is known only from its transcript at the end of a turn; then the call that worked is stored already.
  { host: droid, way: "as installed", start: 0, linesShown: never, says: "--env" },
  { host: cline, way: "as installed", start: 1, linesShown: never },
];

describeHosts(
  ({ host, way }) => `after install alone, ${hostTitle(host)} (${way})`,
  hosts,
  ({ host, inLab, start, linesShown, says = "--target", install = [host.name] }) => {
    it("sessions alone make the rule that the next one starts with; its person is told; nobody else is, and nothing is left running", () =>
      inLab(
        async (lab) => {
          const shop = withTool(lab.project, "fails");
          const blog = withTool(lab.repository("blog"), "works");
          const sessions: SessionRecord[] = [];
          const mistake = async () => {
            sessions.push(
              await lab.session({
                prompt: "release to staging",
                cwd: shop,
                turns: [
                  { calls: [host.shell("./bin/rel push --env staging")] },
                  { calls: [host.shell("./bin/rel push --target staging")] },
                  { text: "Released." },
                  { text: "It is released." },
                ],
              }),
            );
            await host.settle?.(lab);
          };
          for (let n = 0; n < FAILURES; n++) await mistake();
          for (let n = 0; n < SPARE && !lab.json<readonly Rule[]>("rules").some(isSpoken); n++) await mistake();
          const looks = [{ calls: [host.shell("echo all is well")] }, { text: "Well." }, { text: "Well." }];
          const next = await lab.session({ prompt: "have a look", cwd: shop, turns: looks });
          await host.settle?.(lab);
          const other = await lab.session({ prompt: "have a look", cwd: blog, turns: looks });
          await host.settle?.(lab);

          expect(sessions.map((one) => one.status)).toEqual(sessions.map(() => 0));
          expect(startBlock(read(listRequests(next)[start]))).toMatch(
            new RegExp(`\\[\\w+\\] [^\\n]*rel push[^\\n]*${says}[^\\n]* \\(r_\\w+\\)`),
          );
          expect(wire(other)).not.toMatch(/rel push|learned/);
          const notified = [...sessions, next, other].filter((one) =>
            printed(one).includes("oldhand learned 1 rule: "),
          );
          expect(linesShown).toContain(notified.length);
          expect([...sessions, next, other].map(wire).join("\n")).not.toContain("oldhand learned");
          const { changes } = lab.json<{ changes: readonly Change[] }>("history");
          expect([...new Set(changes.map((one) => `${one.actor} ${one.noun}`))]).toEqual(["hook rule"]);
          expect(leftOf(lab)).toEqual([]);
        },
        { install },
      ));
  },
);

interface Screen {
  readonly host: DrivenHost;
  /** What its user answers before the first prompt. */
  readonly first: NonNullable<SessionJob["keys"]>;
  readonly leave: NonNullable<SessionJob["keys"]>;
}

const interrupt = [
  { text: "\u0003", afterRequests: 1, afterMs: 6_000 },
  { text: "\u0003", afterMs: 300 },
  { text: "\u0003", afterMs: 300 },
];

const screens: readonly Screen[] = [
  {
    host: codex,
    first: [
      { text: "\r", awaits: "Trust and continue", afterMs: 500 },
      { text: "2", awaits: "Use existing model", afterMs: 500 },
      { text: "\r", afterMs: 500 },
    ],
    leave: [
      { text: "/quit", afterRequests: 1, afterMs: 6_000 },
      { text: "\r", afterMs: 1_000 },
    ],
  },
  // Keys typed before its screen is drawn are lost.
  { host: opencode, first: [{ text: "", awaits: "Ask anything" }], leave: interrupt },
  { host: pi, first: [], leave: interrupt },
];

describeHosts(
  ({ host }) => `at the screen of ${hostTitle(host)}`,
  screens,
  ({ inLab, first, leave }) => {
    it("its person is told once, also of what a session without a screen has heard first", () =>
      inLab(async (lab) => {
        await learned(lab, "Push with git push.");
        const turns = [{ text: "Done." }, { text: "Done." }, { text: "Done." }];
        const unseen = await lab.session({ prompt: "go on", turns });
        const typed = [
          { text: "go on", afterMs: 8_000 },
          { text: "\r", afterMs: 1_500 },
        ];
        const seen = await lab.session({ turns, keys: [...first, ...typed, ...leave] });
        expect(drawn(unseen)).not.toContain("oldhand learned");
        expect(drawn(seen)).toContain("oldhand learned 1 rule: Push with git push");
        expect(seen.requests).not.toEqual([]);
        expect(JSON.stringify([unseen.requests, seen.requests])).not.toContain("oldhand learned");
        const again = await lab.session({ turns, keys: [...typed, ...leave] });
        expect(drawn(again)).not.toContain("oldhand learned");
      }));
  },
);

/** A rule as sessions create it, without running sessions. */
async function learned(lab: Lab, text: string): Promise<void> {
  const { rule } = lab.json<{ rule: Rule }>("learn", text, "--command", "git psuh", "--workspace", ".");
  const store = await openStore({ database: join(lab.home, ".oldhand", "mind.db"), busyMs: 10_000 });
  await store.db.run("update journal set actor = 'hook', cause_id = 'distil' where subject = ?", [rule.id]);
  await store.close();
}

describeHost(`the commands of the plugin, in ${hostTitle(newestClaudeCode)}`, newestClaudeCode, ({ inLab }) => {
  it("show what waits for review, mute one rule, and switch off in this folder, before the model has said a word", () =>
    inLab(async (lab) => {
      const { rule } = lab.json<{ rule: Rule }>("learn", "Push with git push.", "--command", "git psuh");
      lab.oldhand("rules", "reject", rule.id);
      const type = (prompt: string) => lab.session({ prompt, turns: [{ text: "Done." }, { text: "Done." }] });
      const review = read(listRequests(await type("/oldhand:review"))[0]);
      expect(review).toContain("These rules wait for a decision:");
      expect(review).not.toContain("!`");
      lab.oldhand("rules", "approve", rule.id);
      expect(read(listRequests(await type(`/oldhand:mute ${rule.id}`))[0])).toMatch(
        new RegExp(`${rule.id}  muted\\s+watch`),
      );
      const rules = lab.json<readonly Rule[]>("rules");
      expect(rules.find((one) => one.id === rule.id)?.level).toBe("watch");
      expect(read(listRequests(await type("/oldhand:off"))[0])).toMatch(/Off in .*project/);
      const silent = await lab.session({ prompt: "go on", turns: [{ text: "Done." }, { text: "Done." }] });
      expect(wire(silent)).not.toContain("From oldhand, which");
    }));
});

interface Rule {
  readonly id: string;
  readonly level: string;
  readonly text: string;
}

interface Change {
  readonly noun: string;
  readonly actor: string;
}

function isSpoken(rule: Rule): boolean {
  return rule.level !== "watch" && rule.text.includes("rel push");
}

/** The project's own tool: `--env` fails in one of the two projects and works in the other. */
function withTool(project: string, env: "fails" | "works"): string {
  mkdirSync(join(project, "bin"), { recursive: true });
  const refuse = `echo "unknown option '--env'. Did you mean '--target'?" >&2; exit 2`;
  const file = join(project, "bin", "rel");
  writeFileSync(file, `#!/bin/sh\ncase "$*" in *--env*) ${env === "fails" ? refuse : ":"};; esac\necho released\n`);
  chmodSync(file, 0o755);
  return project;
}

/** What the user could read. */
function printed({ stdout, stderr }: SessionRecord): string {
  return `${stdout}\n${stderr}`;
}

/** Processes of oldhand that outlive the client. */
function leftOf(lab: Lab): readonly string[] {
  return lab.processes().flatMap((pid) => {
    const file = join("/proc", pid, "cmdline");
    const command = existsSync(file) ? readFileSync(file, "utf8").replaceAll("\0", " ") : "";
    return command.includes("oldhand") ? [command] : [];
  });
}
