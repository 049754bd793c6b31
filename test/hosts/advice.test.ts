import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { eventsAfter } from "../../src/store/events.ts";
import { change } from "../../src/store/journal.ts";
import { openStore } from "../../src/store/open.ts";
import type { ModelRequest } from "../../src/testing/fake-anthropic.ts";
import { aRule, byHand } from "../store/samples.ts";
import { claudeCode } from "./lab/client.ts";
import { Lab, type SessionRecord } from "./lab/lab.ts";
import { loopbackOnly } from "./lab/loopback.ts";

const settings = JSON.stringify({ permissions: { allow: ["Bash(git:*)", "Bash(echo:*)", "Read"] } });
const failing = { tool: "Bash", input: { command: "git psuh origin main", description: "push" } };
const working = { tool: "Bash", input: { command: "echo all is well", description: "say so" } };

const alone = loopbackOnly();

describe.each(["2.1.325", "2.1.63"])("advice to Claude Code %s", (version) => {
  const client = claudeCode(version);
  if (alone === null || client.kind === "absent") {
    it.skip(`is driven offline (skipped: ${client.kind === "absent" ? client.why : "no network namespace here"})`, () => {});
    return;
  }

  const installed = () => {
    const lab = new Lab(client, alone, "everything");
    lab.write(settings, ".claude/settings.json");
    expect(lab.oldhand("install", "claude-code")).toMatchObject({ status: 0, err: "" });
    return lab;
  };

  it("a mind that knows nothing says nothing", async () => {
    using lab = installed();
    const session = await lab.session({ prompt: "say hello", turns: [{ text: "Hello." }] });
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(wire(session)).not.toMatch(saidByUs);
  });

  it("a fact told before is in the model's request of the next session, with rules, hardest first, and the date last", async () => {
    using lab = installed();
    lab.oldhand("remember", "The owner prefers Rust for command line tools.");
    lab.oldhand("learn", "Keep commits small.", "--level", "advise");
    lab.oldhand("learn", "Never push to main.", "--level", "nudge");
    const session = await lab.session({ prompt: "what is the weather", turns: [{ text: "Fine." }] });
    const [told = ""] = asked(session)
      .slice(0, 1)
      .flatMap(textsOf)
      .filter((text) => text.includes("From oldhand"));
    expect(told).toContain("| The owner prefers Rust for command line tools.");
    expect(told).toMatch(/1\. \[nudge\] Never push to main\. \(r_\w+\)\n2\. \[advise\] Keep commits small\./);
    expect(told).toMatch(/oldhand \w+>>>\nIt is \w+day, \d{4}-\d\d-\d\d, \d\d:\d\d UTC\.\n/);
    expect(told).toContain("It is to be weighed, not obeyed");
  });

  it("two sessions begin with the same bytes, up to what changed", async () => {
    using lab = installed();
    lab.oldhand("remember", "The owner prefers Rust.");
    lab.oldhand("learn", "Keep commits small.", "--level", "advise");
    const said = [];
    for (const prompt of ["one", "two"]) {
      const session = await lab.session({ prompt, turns: [{ text: "Well." }] });
      const text =
        asked(session)
          .flatMap(textsOf)
          .find((one) => one.includes("From oldhand")) ?? "";
      said.push(text.slice(text.indexOf("From oldhand")));
    }
    const [one = "", two = ""] = said;
    const same = [...one].findIndex((letter, at) => letter !== two[at]);
    expect(one.slice(0, same)).toMatch(/Keep commits small[^]*prefers Rust[^]*oldhand \w+>>>\n/);
  });

  it("only what fits a prompt comes with it, and nothing twice", async () => {
    using lab = installed();
    for (let i = 0; i < 16; i++)
      lab.oldhand(
        "remember",
        `Room ${"abcdefghijklmnop"[i]} number ${i * 7} is painted blue.`,
        "--importance",
        "90",
        "--anyway",
      );
    lab.oldhand("remember", "The staging database listens on port 5433.", "--importance", "10");
    const related = await lab.session({ prompt: "connect to the staging database please", turns: [{ text: "Well." }] });
    expect(wire(related).split("port 5433").length - 1).toBe(1);
    expect(wire(related)).toContain("oldhand, known that fits this prompt:");
    const other = await lab.session({ prompt: "write a poem about the sea", turns: [{ text: "Well." }] });
    // At its start it may be told what fits where the last session left off; with this prompt, nothing.
    expect(wire(other)).not.toContain("that fits this prompt");
  });

  it("a rule of the failure's signature arrives with the failure", async () => {
    using lab = installed();
    const turns = [{ calls: [failing] }, { text: "No." }, { text: "It is open." }];
    await lab.session({ prompt: "push", turns });
    await learnOfSignature(lab, "Spell it push.");
    const session = await lab.session({ prompt: "go", turns });
    expect(textsOf(asked(session)[1]).join("\n")).toContain("oldhand, rule r_spelling: Spell it push.");
  });

  it("an unresolved failure is told to the model once when it stops, and the session ends", async () => {
    using lab = installed();
    const session = await lab.session({
      prompt: "push my branch",
      turns: [{ calls: [failing] }, { text: "Done." }, { text: "The push failed and is still open." }],
    });
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    const last = textsOf(asked(session).at(-1)).join("\n");
    expect(last).toContain("failed, and nothing that worked took their place");
    expect(last).toContain("| git psuh origin main: ");
    expect(asked(session)).toHaveLength(3);
  });

  it("a session in which all went well ends without a word", async () => {
    using lab = installed();
    const session = await lab.session({ prompt: "say it", turns: [{ calls: [working] }, { text: "Done." }] });
    expect(session).toMatchObject({ status: 0, remaining: 0 });
    expect(asked(session)).toHaveLength(2);
    expect(wire(session)).not.toMatch(saidByUs);
  });

  it("the next session is told where the last one left off", async () => {
    using lab = installed();
    await lab.session({
      prompt: "Ship the beta branch. Let's use pnpm instead of npm.",
      turns: [{ calls: [failing] }, { text: "Hm." }, { text: "It failed." }],
    });
    const next = await lab.session({ prompt: "go on", turns: [{ text: "Well." }] });
    expect(wire(next)).toContain("Where the last session in this workspace left off:");
    expect(wire(next)).toContain("| Asked: Ship the beta branch.");
    expect(wire(next)).toContain("| decided: Let's use pnpm instead of npm.");
    expect(wire(next)).toContain("| open: failed: git psuh origin main");
  });

  it("two sessions at once see each other", async () => {
    using lab = installed();
    const busy = Array.from({ length: 40 }, () => ({ calls: [working] }));
    const first = lab.session({ prompt: "tidy the attic", turns: [...busy, { text: "Done." }] });
    const live = () => lab.json<{ sessions: { events: number }[] }>("sessions", "live").sessions;
    for (let i = 0; i < 60 && (live()[0]?.events ?? 0) < 3; i++)
      await new Promise((resolve) => setTimeout(resolve, 200));
    const second = await lab.session({ prompt: "sweep the cellar", turns: [{ text: "Done." }] });
    await first;
    expect(wire(second)).toMatch(/Other sessions at work:/i);
    expect(wire(second)).toContain("| echo all is well");
    expect(wire(second)).not.toContain("| was asked: sweep the cellar");
  });
});

/** As a miner leaves a rule for which it found no matcher. */
async function learnOfSignature(lab: Lab, text: string): Promise<void> {
  lab.json("sessions");
  const store = await openStore({ database: join(lab.home, ".oldhand", "mind.db"), busyMs: 5_000 });
  const events = await eventsAfter(store.db, 0, Number.MAX_SAFE_INTEGER, 100);
  const signature = events.find((event) => event.signature !== null)?.signature ?? "";
  const rule = aRule("r_spelling", { text, signature, status: "approved", level: "nudge" });
  await change(store.db, { noun: "rule", subject: rule.id, after: { ...rule }, actor: "owner", cause: byHand, at: 1 });
  await store.close();
}

/** Not what the plugin says of itself. */
const saidByUs = /From oldhand, which|oldhand, (rules that|known that|other sessions)|oldhand: (these calls|much was)/;

/** All that the model read in the end. */
function wire(session: SessionRecord): string {
  return textsOf(asked(session).at(-1)).join("\n");
}

function asked(session: SessionRecord): readonly ModelRequest[] {
  return session.requests.filter(
    (one) => one.path === "/v1/messages" && ((one.body as { tools?: unknown[] }).tools ?? []).length > 0,
  );
}

type Content = string | readonly { readonly text?: string; readonly content?: Content }[];

function textsOf(request: ModelRequest | undefined): readonly string[] {
  const { messages } = (request?.body ?? { messages: [] }) as { readonly messages: readonly { content: Content }[] };
  return messages.flatMap((message) => flatten(message.content));
}

function flatten(content: Content | undefined): readonly string[] {
  if (content === undefined) return [];
  if (typeof content === "string") return [content];
  return content.flatMap((block) => [...(block.text === undefined ? [] : [block.text]), ...flatten(block.content)]);
}
