import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Page } from "playwright-core";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { openContext } from "../../src/mind.ts";
import { appendChatEntry } from "../../src/store/chat/chat-entries.ts";
import { CART, callTool, type ChatPlace, editCart, modelEnv, newChatPlace, readCart } from "./chat-place.ts";
import { listFaults } from "./faults.ts";
import { openedOn } from "./opened.ts";

let shop: ChatPlace;
const opened = openedOn(async (place) => {
  shop = await newChatPlace(place);
  return modelEnv(shop.model);
});
afterAll(() => shop?.remove());
beforeEach(() => {
  writeFileSync(join(shop.shop, "cart.txt"), CART);
  shop.script();
});

const field = (page: Page) => page.getByRole("textbox", { name: /essage to the agent/ });
const conversation = (page: Page) => page.getByRole("list", { name: "Conversation" });
const idOf = (page: Page) => new URL(page.url()).pathname.split("/").at(-1) ?? "";

/** Writes the first message of a new session, and waits for its page. */
async function begin(text: string): Promise<Page> {
  const { page } = opened;
  await opened.open("/chat");
  await field(page).fill(text);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/sessions\/chat_/);
  await conversation(page).getByText(text, { exact: true }).waitFor();
  return page;
}
/** Waits until the turn is over. */
const idle = (page: Page) => page.getByRole("button", { name: "Send", exact: true }).waitFor();

describe("chat in the dashboard", () => {
  it("begins in a known workspace, streams the answer as markdown, and adds up what it cost", async () => {
    const answer = "# Cart\n\n- **price**: 10\n- `vat`: 7\n\nSee [the docs](https://example.org/cart).";
    shop.script({ text: answer, pieces: 12, delayMs: 200, pauseMs: 100, usage: { in: 1000, out: 30, cached: 800 } });
    const page = await begin("what is in the cart?");
    // A part of it is there before the end.
    await conversation(page).getByText("Cart", { exact: true }).waitFor();
    expect(await page.getByRole("link", { name: "the docs" }).count()).toBe(0);
    const link = conversation(page).getByRole("link", { name: "the docs" });
    await link.waitFor();
    expect(await link.getAttribute("rel")).toContain("noreferrer");
    await idle(page);
    expect(await conversation(page).locator("strong").innerText()).toBe("price");
    await conversation(page).getByText("1 model call · 1,000 tokens in (80 % cached) · 30 out").waitFor();
    await expect.poll(() => page.locator("main dl").innerText()).toMatch(/cached\s*80 %/);
    expect(await page.title()).toBe("what is in the cart? · oldhand");
    // The answer is there once: not as a live text too.
    expect(await conversation(page).locator("strong").count()).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  it("asks before an edit with its diff, in the place where it waits, and undoes it", async () => {
    shop.script(readCart, editCart, { text: "The VAT is 19 now." });
    const page = await begin("raise the VAT");
    const card = page.getByRole("group", { name: /^Answer: edit cart.txt/ });
    await card.waitFor();
    await expect
      .poll(() => page.locator("main").getByRole("status").innerText())
      .toContain("1 action waits for your answer");
    expect(await conversation(page).locator("ins").innerText()).toContain("vat: 19");
    expect(shop.cart()).toBe(CART);
    await page.getByRole("navigation", { name: "Pages" }).getByText("1 waiting").waitFor();
    await card.getByRole("button", { name: "Approve once" }).click();
    await conversation(page).getByText("The VAT is 19 now.").waitFor();
    await idle(page);
    expect(shop.cart()).toContain("vat: 19");
    // The diff stays with the call.
    expect(await conversation(page).locator("ins").innerText()).toContain("vat: 19");
    await page.getByRole("button", { name: "Undo the last turn" }).click();
    await page.getByText("Taken back with 1 file.").waitFor();
    expect(shop.cart()).toBe(CART);
    // What was written comes back, to be written better.
    await expect.poll(() => field(page).inputValue()).toBe("raise the VAT");
    expect(opened.complaints).toEqual([]);
  });

  it("gets a no, and the agent is told so", async () => {
    shop.script(readCart, editCart, { text: "As you wish." });
    const page = await begin("raise the VAT again");
    await page.getByRole("button", { name: "Reject" }).click();
    await conversation(page).getByText("As you wish.").waitFor();
    expect(shop.cart()).toBe(CART);
    await conversation(page).getByText("not allowed").waitFor();
    expect(JSON.stringify(shop.model.requests.at(-1)?.body)).toContain("The person said no to this call");
  });

  it("shows what a rule refused, with its reason, and what oldhand added for the model", async () => {
    await opened.place.json(["learn", "Deploy from CI only", "--command", "make deploy", "--level", "deny"]);
    shop.script(callTool("shell", { command: "make deploy" }), { text: "I will not." });
    const page = await begin("deploy it");
    await conversation(page).getByText("I will not.").waitFor();
    const call = conversation(page).locator("li", { hasText: "make deploy" });
    await call.getByText("not allowed").waitFor();
    await call.getByText(/Deploy from CI only/).waitFor();
    const prompt = conversation(page).locator("summary", { hasText: "System prompt" });
    await prompt.click();
    await conversation(page)
      .getByRole("group", { name: /^System prompt/ })
      .getByText("You are oldhand")
      .waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("goes on without the page: a reload in the middle of a turn loses nothing", async () => {
    const words = Array.from({ length: 30 }, (_, at) => `word${at}`).join(" ");
    shop.script(readCart, { text: words, pieces: 30, pauseMs: 80 });
    const page = await begin("count");
    await conversation(page).getByText("word2").waitFor();
    await field(page).fill("half a thought");
    await page.reload();
    await conversation(page).getByText("word4").waitFor();
    expect(await field(page).inputValue()).toBe("half a thought");
    await conversation(page).getByText("word29").waitFor();
    await idle(page);
    expect(await conversation(page).getByText(words, { exact: true }).count()).toBe(1);
    expect(await conversation(page).getByText("count", { exact: true }).count()).toBe(1);
    expect(opened.complaints).toEqual([]);
  });

  it("stops by key, keeps what was written, and queues and steers by keys while it works", async () => {
    shop.script({ text: "One, two, three, four, five", pieces: 20, pauseMs: 300 });
    const page = await begin("sing");
    await conversation(page).getByText(/^One,/).waitFor();
    await field(page).fill("and now another");
    await page.keyboard.press("Enter");
    const queue = page.getByRole("list", { name: "Messages that wait" });
    await queue.getByText("and now another").waitFor();
    await page.keyboard.press("Escape");
    await page.keyboard.press("s");
    await conversation(page).getByText("Stopped by you").waitFor();
    await conversation(page).getByText(/^One,/).waitFor();
    shop.script({ ...callTool("list", { path: "." }), delayMs: 600 }, { text: "La la." });
    await queue.getByRole("button", { name: "Send now" }).click();
    await page.getByRole("button", { name: "Steer" }).waitFor();
    await page.keyboard.press("c");
    await field(page).fill("louder");
    await page.keyboard.press("Control+Enter");
    await conversation(page).getByText("La la.").waitFor();
    const marked = (text: string) => conversation(page).locator("li", { hasText: text }).allInnerTexts();
    expect(await marked("waited for the turn's end")).toEqual([expect.stringContaining("and now another")]);
    expect(await marked("taken by the running turn")).toEqual([expect.stringContaining("louder")]);
    expect(opened.complaints).toEqual([]);
  });

  it("spells out control characters in the line of a call", async () => {
    shop.script(callTool("read", { file_path: "cart\u202etxt.exe\u0007" }), { text: "Not there." });
    const page = await begin("read it");
    await conversation(page).getByText("Not there.").waitFor();
    const line = await conversation(page).locator("summary", { hasText: "cart" }).first().innerText();
    expect(line).toContain("cart\\u{202e}txt.exe\\u{7}");
    expect(line).not.toContain("\u202e");
  });

  it("shows the same in two tabs, and takes a message from either", async () => {
    shop.script({ text: "Hello to both." });
    const page = await begin("hello");
    const other = await page.context().newPage();
    await other.goto(page.url());
    for (const one of [page, other]) await conversation(one).getByText("Hello to both.").waitFor();
    shop.script({ text: "Seen by both." });
    await field(other).fill("from the second tab");
    await other.keyboard.press("Enter");
    for (const one of [page, other]) {
      await conversation(one).getByText("from the second tab").waitFor();
      await conversation(one).getByText("Seen by both.").waitFor();
    }
  });

  it("only reads a session that another process has open, follows it, and writes on when it is free", async () => {
    shop.script({ text: "First." });
    const page = await begin("begin here");
    await idle(page);
    const id = idOf(page);
    await opened.open("/");
    shop.script({ text: "From the terminal, slowly.", delayMs: 2_500 });
    const run = () =>
      opened.place.run(["ask", "from the terminal", "--session", id], { cwd: shop.shop, env: modelEnv(shop.model) });
    // The page was left, so the session is given back soon.
    const before = shop.model.requests.length;
    let ran = run();
    while (shop.model.requests.length === before) {
      const refused = await Promise.race([ran, wait(100, null)]);
      if (refused !== null && shop.model.requests.length === before) ran = run();
    }
    await page.goto(`${opened.origin}/sessions/${id}`);
    await page
      .getByRole("note")
      .getByText(/open elsewhere \(oldhand ask, process \d+ on \S+, since \d\d:\d\d\)/)
      .waitFor();
    expect(await field(page).count()).toBe(0);
    await conversation(page).getByText("from the terminal", { exact: true }).waitFor();
    await conversation(page).getByText("From the terminal, slowly.").waitFor();
    expect((await ran).code).toBe(0);
    await field(page).waitFor();
    shop.script({ text: "Back here." });
    await field(page).fill("and here again");
    await page.keyboard.press("Enter");
    await conversation(page).getByText("Back here.").waitFor();
    expect(opened.complaints).toEqual([]);
  });

  it("runs nothing and loads nothing of what a model or a tool writes", async () => {
    const asked: string[] = [];
    const evil =
      "<img src=x onerror=\"document.title='owned'\"> ![p](http://127.0.0.1:9/p.png) [go](javascript:alert(1)) <script>document.title='owned'</script>";
    writeFileSync(join(shop.shop, "cart.txt"), evil);
    shop.script(readCart, { text: evil });
    const { page } = opened;
    page.on("request", (request) => asked.push(request.url()));
    await begin("look at it");
    await conversation(page).getByText("[image, not loaded: p, http://127.0.0.1:9/p.png]").waitFor();
    await conversation(page).locator("summary", { hasText: "cart.txt" }).click();
    await conversation(page).getByText("onerror").last().waitFor();
    expect(await conversation(page).locator("img, script, a[href^=javascript]").count()).toBe(0);
    expect(await page.title()).not.toContain("owned");
    expect(asked.filter((url) => !url.startsWith(opened.origin))).toEqual([]);
    expect(opened.complaints).toEqual([]);
  });

  it("changes mode and model in the session", async () => {
    const page = await begin("hello there");
    await idle(page);
    await page.getByLabel(/^Mode(?!l)/).selectOption("read-only");
    await conversation(page).getByText("Mode: read-only").waitFor();
    await page.getByLabel(/^Model/).selectOption("anthropic/claude-sonnet-4-5");
    await conversation(page).getByText("Model: anthropic/claude-sonnet-4-5").waitFor();
    expect(opened.complaints).toEqual([]);
  });
});

describe("a long session", () => {
  it("is read in pages of 100 entries", async () => {
    const { page, place } = opened;
    const id = "chat_0000000000000long";
    const mind = await openContext({ home: place.home, env: {} });
    const at = mind.clock.now();
    const row = { id, at, usedAt: at, title: "long talk", cwd: shop.shop, workspace: shop.shop, mode: "ask" };
    for (let seq = 1; seq <= 250; seq++) {
      const data = JSON.stringify({ turn: seq, text: `message number ${seq}.`, inbox: null });
      const session = { ...row, model: null, parent: null, entries: seq };
      await appendChatEntry(mind.db, session, { session: id, seq, at, kind: "user", data });
    }
    await mind.close();
    const sizes: number[] = [];
    page.on("response", async (response) => {
      if (!response.url().endsWith("/api/sessions/entries")) return;
      sizes.push(((await response.json()) as { entries: unknown[] }).entries.length);
    });
    await opened.open(`/sessions/${id}`);
    await conversation(page).getByText("message number 250.").waitFor();
    expect(await conversation(page).locator("> li").count()).toBe(100);
    await page.getByRole("button", { name: "Earlier entries" }).click();
    await conversation(page).getByText("message number 51.").waitFor();
    await page.getByRole("button", { name: "Earlier entries" }).click();
    await conversation(page).getByText("message number 1.", { exact: true }).waitFor();
    await page.getByRole("button", { name: "Earlier entries" }).waitFor({ state: "hidden" });
    expect(Math.max(...sizes)).toBe(100);
    expect(opened.complaints).toEqual([]);
  });
});

describe("on a desktop and a phone, light and dark", () => {
  it("chat is no wider than the screen, and axe finds nothing", async () => {
    const long = `/home/ada/${"deep/".repeat(30)}file.ts`;
    const table = `| a | b |\n|---|---|\n| ${long} | \`${"x".repeat(120)}\` |`;
    shop.script(
      { ...readCart, reasoning: { text: "Let me look." } },
      {
        ...callTool("shell", { command: `ls ${long}` }),
        text: `## Plan\n\n${long}\n\n${table}\n\n\`\`\`sh\n${long}\n\`\`\``,
      },
      { text: "> said\n\n1. one\n2. two" },
    );
    const page = await begin(`look at ${long}`);
    await page.getByRole("group", { name: /^Answer/ }).waitFor();
    await field(page).fill("next one");
    await page.keyboard.press("Enter");
    await page.getByRole("list", { name: "Messages that wait" }).waitFor();
    expect(await listFaults(page)).toEqual({});
    await page.getByRole("button", { name: "Approve once" }).click();
    await idle(page);
    expect(await listFaults(page)).toEqual({});
    await opened.open("/chat");
    await page.getByRole("heading", { name: "Continue" }).waitFor();
    expect(await listFaults(page)).toEqual({});
  });
});
