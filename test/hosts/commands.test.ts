import { expect, it } from "vitest";
import { describeHosts, type DrivenHost, hostTitle } from "./lab/driven.ts";
import { cline } from "./lab/hosts/cline.ts";
import { codex } from "./lab/hosts/codex.ts";
import { copilot } from "./lab/hosts/copilot.ts";
import { droid } from "./lab/hosts/droid.ts";
import { gemini } from "./lab/hosts/gemini.ts";
import { opencode } from "./lab/hosts/opencode.ts";
import { pi } from "./lab/hosts/pi.ts";
import { qwen } from "./lab/hosts/qwen.ts";
import type { Lab, SessionJob, SessionRecord } from "./lab/lab.ts";
import { listRequests, read, wire } from "./lab/wire.ts";

interface Commanded {
  readonly host: DrivenHost;
  /** How its user types a command. */
  type(name: string, words?: string): Pick<SessionJob, "prompt" | "flags" | "keys">;
  /** Whether the host runs the program before the model is called, or the model is asked to run it. */
  readonly runs: "host" | "model";
  /** Set if the model gets the words after the command's name separately from the text. */
  readonly wordsApart?: true;
}

/** Typed as a prompt on the command line. */
function typed(before: string): Commanded["type"] {
  return (name, words) => ({ prompt: [`${before}${name}`, words].filter(Boolean).join(" ") });
}

const hosts: readonly Commanded[] = [
  { host: gemini, type: typed("/oldhand:"), runs: "host" },
  { host: qwen, type: typed("/oldhand:"), runs: "host" },
  {
    host: opencode,
    type: (name, words = "") => ({ prompt: words, flags: ["--command", `oldhand-${name}`] }),
    runs: "host",
  },
  { host: codex, type: typed("$oldhand-"), runs: "model", wordsApart: true },
  { host: droid, type: typed("/oldhand-"), runs: "model" },
  { host: pi, type: typed("/oldhand-"), runs: "model" },
  // It treats a single word as one of its own commands.
  { host: cline, type: (name, words = "now") => typed("/oldhand-")(name, words), runs: "model", wordsApart: true },
  {
    host: copilot,
    // Without its screen it has no commands.
    type: (name, words = "") => ({
      keys: [
        { text: "\r", awaits: "/ commands", afterMs: 4_000 },
        { text: `/oldhand-${name} ${words}`, afterMs: 4_000 },
        { text: "\r", afterMs: 2_000 },
        { text: "\u0003", afterRequests: 1, afterMs: 3_000 },
        { text: "\u0003", afterMs: 500 },
      ],
    }),
    runs: "model",
  },
];

describeHosts(
  ({ host }) => `what its user types, in ${hostTitle(host)}`,
  hosts,
  ({ inLab, type, runs, wordsApart }) => {
    it("is the model's prompt, and only what was typed decides", () =>
      inLab(
        async (lab) => {
          const { rule } = lab.json<{ rule: Rule }>("learn", "Push with git push.", "--command", "git psuh");
          const review = await send(lab, type("review"));
          expect(read(listRequests(review)[0])).toContain("These rules wait for a decision:");
          expect(wire(review)).toContain("Do not decide for the user.");
          const mute = wire(await send(lab, type("mute", rule.id)));
          expect(mute).toContain("Tell the user in one line what the command printed.");
          expect(mute).toContain(rule.id);
          if (!wordsApart && runs === "model") expect(mute).toMatch(new RegExp(`rules mute "${rule.id}"`));
          const levels = lab.json<readonly Rule[]>("rules").map((one) => one.level);
          expect(levels).toEqual([runs === "host" ? "watch" : "nudge"]);
          if (runs === "host") expect(mute).toMatch(new RegExp(`${rule.id}  muted\\s+watch`));
          // A model is not offered commands that the user did not type.
          const untold = await send(lab, { prompt: "go on" });
          expect(listRequests(untold)).not.toEqual([]);
          expect(JSON.stringify(listRequests(untold))).not.toMatch(/oldhand[-:](?:mute|off|review)/);
        },
        { says: "calls" },
      ));
  },
);

function send(lab: Lab, job: Pick<SessionJob, "prompt" | "flags" | "keys">): Promise<SessionRecord> {
  return lab.session({ ...job, turns: [{ text: "Done." }, { text: "Done." }, { text: "Done." }] });
}

interface Rule {
  readonly id: string;
  readonly level: string;
}
