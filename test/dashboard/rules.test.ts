import { openStore } from "../../src/store/open.ts";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { payload, type Place, sample } from "../program.ts";
import { fillAction, pressAction, submitAction } from "./driven.ts";
import { openedOn } from "./opened.ts";

type Rule = {
  readonly id: string;
  readonly text: string;
  readonly status: string;
  readonly level: string;
  readonly pinned: boolean;
  readonly matcherInWords: string | null;
};

const opened = openedOn(async (place) => {
  // First, because the journal's time never decreases.
  await place.json(["learn", "name where to deploy to", "--command", "yarn deploy", "--exact", "--now", hour(39.5)]);
  await place.json(["import", sample]);
  await place.json(["distil", "--write"]);
  await importDeploys(place);
});

const rulesOf = (status?: string) =>
  opened.place.json<Rule[]>(["rules", "list", ...(status === undefined ? [] : ["--status", status])]);
const ruleOf = (id: string) => opened.place.json<Rule>(["rules", "show", id]);
const learn = async (...words: string[]) => (await opened.place.json<{ rule: Rule }>(["learn", ...words])).rule;
const plain = (text: string) => text.replaceAll("`", "");
const heading = (name: string) => opened.page.getByRole("heading", { level: 1, name });
const section = (title: string) =>
  opened.page.locator("main section").filter({ has: opened.page.getByRole("heading", { level: 2, name: title }) });
const button = (name: string) => opened.page.locator("main").getByRole("button", { name, exact: true });

describe("the rules", () => {
  it("are listed with backtest and verdict, narrowed by status and level, and each leads to its page", async () => {
    const own = await learn("Never push with force", "--command", "git push --force", "--level", "deny");
    const { page } = opened;
    await opened.open("/rules");
    const entries = page.locator("main li");
    await entries.first().waitFor();
    expect(await entries.count()).toBe((await rulesOf()).length);
    await entries.filter({ hasText: "failed 6 of 6" }).first().waitFor();
    await entries.filter({ hasText: "not enough data" }).first().waitFor();
    await page.getByLabel("Level").selectOption("deny");
    await entries.filter({ hasText: "Never push" }).waitFor();
    expect(await entries.count()).toBe(1);
    expect(new URL(page.url()).search).toBe("?level=deny");
    await page.getByLabel("Status").selectOption("candidate");
    await page.getByText("No rule matches").waitFor();
    await page.getByLabel("Status").selectOption("approved");
    await entries.getByRole("link").click();
    await heading("Never push with force").waitFor();
    expect(new URL(page.url()).pathname).toBe(`/rules/${own.id}`);
    expect(opened.complaints).toEqual([]);
  });
});

describe("review", () => {
  it("decides on candidates by single keys, with the backtest in view, and takes the last one back", async () => {
    const { page } = opened;
    // Rules that were never tried since have no precision to show.
    for (const { id, text } of await rulesOf("candidate"))
      if (text.startsWith("Write ")) await opened.place.json(["rules", "retire", id]);
    const [first, second, third] = await rulesOf("candidate");
    if (!first || !second || !third) throw new Error("the sample gives three candidates");
    await opened.open("/rules");
    await page.getByRole("link", { name: "3 candidates to decide on" }).click();
    const current = page.locator('main li[aria-current="true"]');
    const isUp = (rule: Rule) => current.filter({ hasText: plain(rule.text) }).waitFor();
    await isUp(first);
    await current.getByText(/^Precision \d+ %, at least \d+ %/).waitFor();
    await opened.listening();
    await page.keyboard.press("s");
    await isUp(second);
    expect((await ruleOf(first.id)).status).toBe("candidate");
    await page.keyboard.press("a");
    await isUp(third);
    expect((await ruleOf(second.id)).status).toBe("approved");
    await page.keyboard.press("r");
    await isUp(first);
    expect((await ruleOf(third.id)).status).toBe("rejected");
    await page.keyboard.press("u");
    await page.getByText("Taken back.").waitFor();
    expect((await ruleOf(third.id)).status).toBe("candidate");
    await page.getByText("2 candidates to decide on").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("takes no letter after g for a decision: that one names a page, or nothing", async () => {
    const { page } = opened;
    const before = await rulesOf("candidate");
    await opened.open("/rules/review");
    await page.locator('main li[aria-current="true"]').waitFor();
    await opened.listening();
    await page.keyboard.press("g");
    await page.keyboard.press("a");
    await page.keyboard.press("g");
    await page.keyboard.press("r");
    await heading("Rules").waitFor();
    expect(await rulesOf("candidate")).toEqual(before);
  });
});

describe("a rule's page", () => {
  it("tells what it says, what it speaks against, how right it is, and the very calls it came from", async () => {
    const { page } = opened;
    const rule = (await rulesOf()).find((one) => one.matcherInWords?.includes("docker compose up"));
    if (!rule) throw new Error("the sample gives a rule about docker compose");
    await opened.open(`/rules/${rule.id}`);
    await heading(plain(rule.text)).waitFor();
    const head = await page.locator("main").innerText();
    for (const part of [rule.status, rule.level, "salience", "origin tool", "workspace /home/ada/shop"])
      expect(head.replaceAll("\n", " ")).toContain(part);
    await page.getByText(`Warns against ${plain(rule.matcherInWords ?? "")}`).waitFor();
    const backtest = section("Backtest");
    await backtest.getByText("Precision 100 %").waitFor();
    expect(await backtest.innerText()).toMatch(/false alarms[\s\S]*The evidence is strong enough for level\s+nudge/);
    const calls = section("Where it comes from").getByRole("link");
    await calls.first().waitFor();
    expect(await calls.count()).toBe(5);
    const href = new URL((await calls.first().getAttribute("href")) ?? "", opened.origin);
    await calls.first().click();
    const event = page.locator(`#event-${href.searchParams.get("at")}[aria-current="true"]`);
    await event.waitFor();
    expect(await event.innerText()).toContain("docker compose up");
    expect(opened.complaints).toEqual([]);
  });

  it("approves a rule that teaches a risky command only after the dialog has named the risk", async () => {
    const { page, place } = opened;
    const { rule } = await place.json<{ rule: { id: string } }>(["learn", "Use `git push --force` here: it works."]);
    const store = await openStore({ database: join(place.home, "mind.db"), busyMs: 10_000 });
    await store.db.run("update rules set origin = 'tool', status = 'candidate' where id = ?", [rule.id]);
    await store.close();
    await opened.open(`/rules/${rule.id}`);
    await page.getByRole("button", { name: "Approve", exact: true }).click();
    const dialog = page.getByRole("dialog");
    await dialog
      .getByText(/^rule \S+ teaches a command that forces/i)
      .first()
      .waitFor();
    await dialog.locator('[name="risky"]').check();
    await dialog.locator("button[type=submit]").click();
    await dialog.waitFor({ state: "hidden" });
    const [approved] = (await rulesOf("approved")).filter(({ id }) => id === rule.id);
    expect(approved?.status).toBe("approved");
    await place.json(["rules", "forget", rule.id]);
  });

  it("has every decision as a button, says what was done, and takes it back", async () => {
    const { page } = opened;
    const rule = await learn("say it so", "--command", "make all", "--level", "ask");
    await opened.open(`/rules/${rule.id}`);
    const main = page.locator("main");
    await pressAction(main, "Pin");
    await page.getByText("Pinned: it does not decay.").waitFor();
    expect((await ruleOf(rule.id)).pinned).toBe(true);
    await button("Edit").click();
    await fillAction(page, { text: "say it otherwise", level: "deny" });
    await submitAction(page);
    await heading("say it otherwise").waitFor();
    expect(await ruleOf(rule.id)).toMatchObject({ text: "say it otherwise", level: "deny" });
    await button("Let it be passed once").click();
    await submitAction(page);
    await page.getByText("Allowed once").waitFor();
    await button("Retire").click();
    await page.getByText("Retired: no longer in force").waitFor();
    expect((await ruleOf(rule.id)).status).toBe("retired");
    await page.getByRole("button", { name: "Take it back" }).click();
    await page.getByText("Taken back.").waitFor();
    await button("Retire").waitFor();
    expect((await ruleOf(rule.id)).status).toBe("approved");
    await button("Reject").click();
    await button("Approve").click();
    await page.getByText("Approved: in force").waitFor();
    expect((await ruleOf(rule.id)).status).toBe("approved");
    const history = section("History");
    await history.getByText("undone", { exact: true }).waitFor();
    await expect.poll(() => history.locator("li").count()).toBe(7);
    expect(opened.complaints).toEqual([]);
  });

  it("tells who saw it and who broke it, and the session's page what that session was shown", async () => {
    const { page, place } = opened;
    const rule = await learn("use pnpm here", "--command", "npm ci");
    await place.run(["hook", "claude-code"], {
      stdin: payload("PreToolUse", { session_id: "told", tool_input: { command: "npm ci" } }),
    });
    await place.run(["hook", "claude-code"], {
      stdin: payload("PostToolUse", { session_id: "told", tool_input: { command: "npm ci" } }),
    });
    await opened.open(`/rules/${rule.id}`);
    const seen = section("Who saw it");
    await seen.getByText("before call").waitFor();
    expect((await seen.locator("li").innerText()).replaceAll("\n", " ")).toMatch(
      /told claude-code.*nudge.*\d+ tokens.*not judged yet/,
    );
    // The session makes the mistake again; this is counted once the session is inactive.
    await place.run(["hook", "claude-code"], {
      stdin: payload("PostToolUse", {
        session_id: "told",
        tool_use_id: "toolu_02",
        tool_input: { command: "npm ci" },
      }),
    });
    await place.json(["reinforce", "--write", "--now", new Date(Date.now() + 86_400_000).toISOString()]);
    await seen.getByText("broken", { exact: true }).waitFor();
    await seen.getByText("broken afterwards in 1 session").waitFor();
    await seen.getByRole("link", { name: "told" }).click();
    await page.getByText(/1 rule shown in this session, \d+ tokens, 1 broken afterwards/).click();
    await page.getByRole("link", { name: "use pnpm here" }).click();
    await heading("use pnpm here").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("draws attempts before and with the rule, and the ratio with its interval", async () => {
    const { place } = opened;
    const id = (await rulesOf("approved")).find((one) => one.text === "name where to deploy to")?.id ?? "";
    const effect = await place.json<{ ratio: number; interval: [number, number]; verdict: string }>([
      "rules",
      "effect",
      id,
    ]);
    expect(effect.verdict).toBe("works");
    await opened.open(`/rules/${id}`);
    const chart = section("Before and after");
    await chart.getByText("works", { exact: true }).waitFor();
    const [low, high] = effect.interval.map((one) => one.toFixed(2));
    await chart
      .getByRole("img", {
        name: `${effect.ratio.toFixed(2)} times as frequent as without it (95 % confidence: ${low} to ${high})`,
      })
      .waitFor();
    expect(await chart.getByRole("row", { name: /^before/ }).innerText()).toContain("100 %");
    expect(await chart.getByRole("row", { name: /^with it/ }).innerText()).toContain("5 %");
    const dot = await chart.locator("figure circle").getAttribute("cx");
    expect(Number.parseFloat(dot ?? "")).toBeLessThan(50);
    expect(opened.complaints).toEqual([]);
  });

  it("says so where there is no such rule", async () => {
    await opened.open("/rules/r_none");
    await opened.page.getByText("there is no rule r_none").waitFor();
    expect(opened.complaints.filter((one) => !one.includes("404"))).toEqual([]);
  });
});

function hour(n: number): string {
  return new Date(Date.UTC(2026, 1, 1) + n * 3_600_000).toISOString();
}

/** Forty sessions with the mistake, then forty with the rule, of which two still made it. */
async function importDeploys(place: Place): Promise<void> {
  const line = (session: number, failed: boolean) =>
    JSON.stringify({
      session: `yarn-${session}`,
      seq: 0,
      project: "ada/yarn",
      agent: "claude-code",
      ts: hour(session),
      cwd: "/home/ada/yarn",
      model: "sample",
      sub: false,
      tool: "Bash",
      input: { command: failed ? "yarn deploy" : "yarn deploy --to test" },
      ok: !failed,
      error_text: failed ? "deploy: no target" : null,
      out_head: "",
      out_len: 0,
    });
  const lines = Array.from({ length: 80 }, (_, n) => line(n, n < 40 || n === 50 || n === 60));
  writeFileSync(join(place.dir, "yarn.jsonl"), lines.join("\n"));
  await place.json(["import", join(place.dir, "yarn.jsonl"), "--no-rules"]);
}
