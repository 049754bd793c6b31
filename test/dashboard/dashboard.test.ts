import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { beforeEach, describe, expect, it } from "vitest";
import { serveFrom } from "../http/serving.ts";
import { newPlace, payload, type Place, sample } from "../program.ts";
import { openedOn } from "./opened.ts";

const dashboard = openedOn(async (given) => {
  place = given;
  await place.json(["import", sample]);
  await place.json(["distil", "--write"]);
});
let place: Place;
let page: Page;
beforeEach(() => {
  page = dashboard.page;
});

const origin = () => dashboard.origin;
const open = (path = "/") => dashboard.open(path);
const listening = () => dashboard.listening();

/** The layout for narrow screens has a hidden copy. */
const shown = (words: string) => page.getByText(words, { exact: true }).locator("visible=true").first();

const hostEntry = (title: string) =>
  page.locator("main li").filter({ has: page.getByRole("heading", { name: title, exact: true }) });

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString();

const text = () => page.locator("main, #app").first().innerText();

describe("the way in", () => {
  it("takes the token out of the address, and keeps it for this tab", async () => {
    await page.goto(dashboard.serving.address);
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    expect(page.url()).toBe(`${origin()}/`);
    expect(await page.evaluate("document.cookie + JSON.stringify(localStorage)")).toBe("{}");
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it("asks for the token without one, and with a wrong one", async () => {
    await page.goto(origin());
    await page.getByRole("heading", { name: "This dashboard needs its token" }).waitFor();
    expect(dashboard.complaints).toEqual([]);
    await page.goto("about:blank");
    await page.goto(`${origin()}/#token=${"x".repeat(32)}`);
    await page.getByRole("heading", { name: "This dashboard needs its token" }).waitFor();
    expect(await text()).not.toContain(place.home);
  });

  it("lets in a tab that is handed the address later", async () => {
    await page.goto(origin());
    await page.getByRole("heading", { name: "This dashboard needs its token" }).waitFor();
    await page.goto(dashboard.serving.address);
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
  });
});

describe("the pages", () => {
  it("today: what the mind holds, what waits, and the most costly mistakes of the sample", async () => {
    await open();
    await page.getByText("git push").first().waitFor();
    const seen = await text();
    for (const part of ["71 events", "Avoided", "Waiting for you", "Most costly mistakes"])
      expect(seen).toContain(part);
    expect(dashboard.complaints).toEqual([]);
  });

  it("sessions: lists them, filters them, and leads to a timeline", async () => {
    await open("/sessions");
    const links = page.locator('a[href^="/sessions/sample-"]');
    await links.first().waitFor();
    expect(await links.count()).toBe(6);
    await page.goto(`${origin()}/sessions?host=codex`);
    await links.first().waitFor();
    expect(await links.count()).toBe(2);
    await links.first().click();
    await page.locator("#event-0, [id^=event-]").first().waitFor();
    expect(new URL(page.url()).pathname).toMatch(/^\/sessions\/sample-/);
    expect(await page.locator("[id^=event-]").count()).toBe(12);
    expect(await text()).toMatch(/git push|docker|npm/);
    expect(dashboard.complaints).toEqual([]);
  });

  it("failures: ranked, each with evidence that leads to the very call", async () => {
    await open("/failures");
    const first = page.locator("main details, #app details").first();
    await first.waitFor();
    await first.locator("summary").click();
    const evidence = first.locator('a[href^="/sessions/"][href*="at="]').first();
    await evidence.waitFor();
    const wanted = new URL((await evidence.getAttribute("href")) ?? "", origin()).searchParams.get("at");
    await evidence.click();
    const event = page.locator(`#event-${wanted}`);
    await event.waitFor();
    expect(await event.isVisible()).toBe(true);
    expect(new URL(page.url()).searchParams.get("at")).toBe(wanted);
    expect(dashboard.complaints).toEqual([]);
  });

  it("failures: what each cost, and what worked after it", async () => {
    const { mistakes } = await place.json<{
      mistakes: { text: string; cost: { calls: number }; recovery: { summary: string; times: number } | null }[];
    }>(["report"]);
    const known = mistakes.find((mistake) => mistake.recovery !== null);
    await open("/failures");
    const entry = page.locator("main details", { hasText: known?.text ?? "" }).first();
    await entry.waitFor();
    expect(await entry.innerText()).toContain(`cost ${known?.cost.calls} call`);
    expect(await entry.innerText()).toContain(known?.recovery?.summary);
    await entry.locator("summary").click();
    await entry.getByText(/^\d+ calls?, .* about \d+ tokens?$/).waitFor();
    expect(await entry.innerText()).toContain(`(${known?.recovery?.times} times)`);
    expect(dashboard.complaints).toEqual([]);
  });

  it("hosts: each with its state, what is amiss, and what to do", async () => {
    const { hosts } = await place.json<{ hosts: { title: string; state: string; verified: boolean }[] }>(["hosts"]);
    await open("/hosts");
    // Hosts that are not on this machine are collapsed.
    await page.getByText(/other hosts that oldhand knows/).click();
    for (const host of hosts) {
      const entry = hostEntry(host.title);
      await entry.getByText(host.state, { exact: true }).waitFor();
      expect(await entry.getByText("unverified", { exact: true }).count()).toBe(host.verified ? 0 : 1);
    }
    expect(dashboard.complaints).toEqual([]);
  });

  it("hosts: follows a host from not here over installed to watching", async () => {
    const other = newPlace();
    const served = await serveFrom(other);
    const shows = async (state: string) => {
      await page.reload();
      await hostEntry("Claude Code").getByText(state, { exact: true }).waitFor();
    };
    await page.goto(served.address);
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    await listening();
    await page.keyboard.press("g");
    await page.keyboard.press("t");
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await shows("not here");
    mkdirSync(join(other.user, ".claude"));
    await shows("not installed");
    await hostEntry("Claude Code").getByText("oldhand install claude-code", { exact: true }).waitFor();
    await other.json(["install", "claude-code"]);
    await shows("installed, never heard");
    await hostEntry("Claude Code").getByText("its hooks have never fired").waitFor();
    expect((await other.run(["doctor"])).stdout).toContain("· Claude Code: its hooks have never fired\n    start");
    await other.run(["hook", "claude-code"], { stdin: payload("PostToolUse") });
    // Without a reload: the live connection announces the event.
    await hostEntry("Claude Code").getByText("watching", { exact: true }).waitFor();
    expect((await other.run(["doctor"])).stdout).not.toContain("its hooks have never fired");
    const later = await other.json<{ hosts: { host: string; state: string }[] }>(["hosts", "--now", inDays(8)]);
    expect(later.hosts.find(({ host }) => host === "claude-code")?.state).toBe("silent");
    expect(dashboard.complaints).toEqual([]);
    await served.stop();
    other.remove();
  });

  it("rules: what was distilled, with status and level", async () => {
    const rules = await place.json<{ text: string; status: string; level: string }[]>(["rules"]);
    await open("/rules");
    await page.getByText("docker compose up").first().waitFor();
    const seen = await text();
    for (const rule of rules) expect(seen.replaceAll("`", "")).toContain(rule.text.replaceAll("`", ""));
    expect(dashboard.complaints).toEqual([]);
  });

  it("history: a change, what it changed, and its undoing", async () => {
    const made = await place.json<{ rule: { id: string }; change: { id: number } }>(["learn", "undo me from the page"]);
    await open("/history");
    const entry = page.locator("li", { hasText: made.rule.id }).first();
    await entry.waitFor();
    await entry.getByRole("button", { name: "Undo" }).click();
    await page.getByText("undone", { exact: true }).first().waitFor();
    expect((await place.run(["rules", "show", made.rule.id])).code).toBe(1);
    expect(await place.json(["history", "--limit", "1"])).toMatchObject({ changes: [{ undoes: made.change.id }] });
    expect(dashboard.complaints).toEqual([]);
  });

  it("history: an undoing that is refused says why, and the page goes on", async () => {
    const made = await place.json<{ rule: { id: string }; change: { id: number } }>(["learn", "built upon"]);
    await place.json(["rules", "edit", made.rule.id, "--text", "built upon twice"]);
    await open("/history");
    await page.locator("li", { hasText: made.rule.id }).first().waitFor();
    const entry = page.locator("li", { hasText: made.rule.id }).filter({ hasText: "created" }).first();
    await entry.getByRole("button", { name: "Undo" }).click();
    await page
      .getByText(/cannot be undone/)
      .first()
      .waitFor();
    expect(dashboard.complaints.filter((one) => !one.includes("409"))).toEqual([]);
  });

  it("an address nobody knows, and a session nobody knows", async () => {
    await open("/no/such/page");
    await page.getByRole("heading", { name: "There is no such page" }).waitFor();
    await page.getByRole("link", { name: "Go to Today." }).click();
    await page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
    expect(dashboard.complaints).toEqual([]);
    await page.goto(`${origin()}/sessions/nobody`);
    await page.getByText("there is no session nobody").waitFor();
    expect(dashboard.complaints.filter((one) => !one.includes("404"))).toEqual([]);
  });
});

describe("replay", () => {
  const here = () => page.locator('[id^=event-][aria-current="true"]');
  const slider = () => page.getByRole("slider", { name: "Place in the session" });

  it("steps through a session by keys, and the address follows", async () => {
    await open("/sessions/sample-01");
    await page.locator("#event-0").waitFor();
    for (const [key, seq] of [
      [".", 0],
      [".", 1],
      [",", 0],
    ] as const) {
      await page.keyboard.press(key);
      await page.locator(`#event-${seq}[aria-current="true"]`).waitFor();
    }
    expect(new URL(page.url()).searchParams.get("at")).toBe("0");
    await slider().focus();
    await page.keyboard.press("ArrowRight");
    await page.locator('#event-1[aria-current="true"]').waitFor();
    await page.keyboard.press("End");
    await page.locator('#event-11[aria-current="true"]').waitFor();
    expect(await slider().getAttribute("aria-valuenow")).toBe("12");
    await page.keyboard.press("n");
    await page.keyboard.press("p");
    await here().getByText("failed", { exact: true }).waitFor();
    expect(dashboard.complaints).toEqual([]);
  });

  it("shows the whole session along time, also when it is opened in the middle", async () => {
    const lines = Array.from({ length: 450 }, (_, seq) =>
      JSON.stringify({
        ...JSON.parse(readFileSync(sample, "utf8").split("\n")[0] ?? ""),
        session: "long-walk",
        seq,
        // Ten hours' pause after the hundredth.
        ts: new Date(Date.UTC(2026, 0, 6, seq < 100 ? 9 : 19) + seq * 5_000).toISOString(),
      }),
    );
    writeFileSync(join(place.dir, "long.jsonl"), lines.join("\n"));
    await place.json(["import", join(place.dir, "long.jsonl")]);
    await open("/sessions/long-walk?at=300");
    await page.locator("#event-0").waitFor();
    await page.locator("#event-449").waitFor();
    expect(await slider().getAttribute("aria-valuemax")).toBe("450");
    await slider().getByText("10 h", { exact: true }).waitFor();
    expect(await page.locator("#event-300").getAttribute("aria-current")).toBe("true");
    const { top, bottom, height } = (await page.evaluate(
      `(({ top, bottom }) => ({ top, bottom, height: innerHeight }))(document.getElementById("event-300").getBoundingClientRect())`,
    )) as { top: number; bottom: number; height: number };
    expect(top > 0 && bottom < height).toBe(true);
    expect(dashboard.complaints).toEqual([]);
  });

  it("plays from the beginning, pauses where it is, and plays on from there", async () => {
    await open("/sessions/sample-01");
    await page.locator("#event-0").waitFor();
    await listening();
    await page.keyboard.press("r");
    await page.locator('#event-2[aria-current="true"]').waitFor();
    expect(page.url()).not.toContain("at=");
    await page.getByRole("button", { name: "Pause" }).click();
    const rested = Number(new URL(page.url()).searchParams.get("at"));
    expect(rested).toBeGreaterThanOrEqual(2);
    await page.getByRole("button", { name: /^Speed/ }).click();
    await slider().focus();
    await page.keyboard.press("Space");
    await page.locator(`#event-${rested + 1}[aria-current="true"]`).waitFor();
    await page.goto(`${origin()}/sessions/sample-01?at=10`);
    await page.locator('#event-10[aria-current="true"]').waitFor();
    await page.getByRole("button", { name: "Play" }).click();
    await page.locator('#event-11[aria-current="true"]').waitFor();
    // At the end it stops by itself.
    await page.getByRole("button", { name: "Play" }).waitFor();
    expect(new URL(page.url()).searchParams.get("at")).toBe("11");
    expect(dashboard.complaints).toEqual([]);
  });
});

describe("what others wrote", () => {
  it("is shown as text: no script of theirs runs, and the policy would not let it", async () => {
    const evil = `<img src=x onerror="window.pwned=1"><script>window.pwned=1</script>`;
    const [line = ""] = readFileSync(sample, "utf8").split("\n");
    const event = {
      ...JSON.parse(line),
      session: "evil",
      cwd: `/tmp/${evil}`,
      input: { command: evil },
      ok: false,
      error_text: evil,
    };
    writeFileSync(join(place.dir, "evil.jsonl"), JSON.stringify(event));
    await place.json(["import", join(place.dir, "evil.jsonl")]);
    await place.json(["learn", evil]);
    for (const path of ["/sessions", "/sessions/evil", "/rules", "/history"]) {
      await open(path);
      await page
        .getByText("img src=x")
        .first()
        .or(page.getByText("onerror").first())
        .first()
        .waitFor({ state: "attached" });
      expect(await page.evaluate("window.pwned")).toBeUndefined();
      expect(await page.locator("img[src=x], #app script").count()).toBe(0);
    }
    await page.goto(`${origin()}/rules`);
    await page.getByText("<img src=x").first().waitFor();
    expect(dashboard.complaints).toEqual([]);
    // Tests the policy itself from inside the page.
    const held = (await page.evaluate(tryToBreakOut)) as { broken: string[]; pwned: number | null };
    expect(held.pwned).toBeNull();
    expect(held.broken).toEqual(expect.arrayContaining(["script-src-elem", "img-src", "connect-src"]));
  });

  it("cannot be framed by another page", async () => {
    const other = await dashboard.context.newPage();
    await other.setContent(`<iframe src="${origin()}/"></iframe>`);
    await other.waitForTimeout(500);
    const frame = other.frames().find((one) => one !== other.mainFrame());
    expect(
      await frame
        ?.locator("#app")
        .count()
        .catch(() => 0),
    ).toBe(0);
    await other.close();
  });
});

describe("live", () => {
  it("shows what another process stores, without a reload", async () => {
    await open("/sessions");
    await shown("Live").waitFor();
    const before = await page.locator('a[href^="/sessions/"]').count();
    await page.evaluate("window.stayed = true");
    const lines = readFileSync(sample, "utf8").replaceAll("sample-0", "another-0");
    writeFileSync(join(place.dir, "another.jsonl"), lines);
    await place.json(["import", join(place.dir, "another.jsonl")]);
    await page.locator('a[href="/sessions/another-01"]').waitFor();
    expect(await page.locator('a[href^="/sessions/"]').count()).toBeGreaterThan(before);
    await place.run(["hook", "claude-code"], { stdin: payload("PostToolUse") });
    await page.locator('a[href^="/sessions/b3f1c2d4"]').waitFor();
    expect(await page.evaluate("window.stayed")).toBe(true);
    expect(dashboard.complaints).toEqual([]);
  });

  it("shows who is at work, by workspace, and what each is doing now", async () => {
    const other = newPlace();
    const served = await serveFrom(other);
    await page.goto(served.address);
    await page.getByText("Nothing is recorded yet").waitFor();
    const hook = (over: object) => other.run(["hook", "claude-code"], { stdin: payload("PostToolUse", over) });
    await hook({ session_id: "one", cwd: "/home/ada/shop" });
    await hook({ session_id: "two", cwd: "/home/ada/shop", tool_input: { command: "git status" } });
    await hook({ session_id: "three", cwd: "/home/ada/blog" });
    const section = page.locator("section", { hasText: "At work now" });
    await section.getByText("2 agents").waitFor();
    await section.getByText("blog").waitFor();
    await section.getByText("git status").waitFor();
    await hook({ session_id: "two", tool_use_id: "toolu_02", tool_input: { command: "git diff" } });
    await section.getByText("git diff").waitFor();
    expect(await section.getByText("git status").count()).toBe(0);
    await section.locator('a[href^="/sessions/two"]').click();
    await page.locator('[id^=event-][aria-current="true"]', { hasText: "git diff" }).waitFor();
    expect(dashboard.complaints).toEqual([]);
    await served.stop();
    other.remove();
  });

  it("calls no session live that was only imported, however new it is", async () => {
    const other = newPlace();
    const call = { session: "done", seq: 0, ts: new Date().toISOString(), agent: "claude-code", cwd: "/home/ada/shop" };
    const line = JSON.stringify({ ...call, tool: "Bash", input: { command: "make" }, ok: true, error_text: null });
    writeFileSync(join(other.dir, "new.jsonl"), `${line}\n`);
    await other.json(["import", join(other.dir, "new.jsonl")]);
    const served = await serveFrom(other);
    await page.goto(served.address);
    await page.getByText("No agent is at work right now.").waitFor();
    await page.goto(new URL("/sessions", served.address).href);
    const row = page.locator("li", { has: page.locator('a[href="/sessions/done"]') });
    await row.waitFor();
    expect(await row.getByText("live", { exact: true }).count()).toBe(0);
    await served.stop();
    other.remove();
  });

  it("says that it lost the server, and comes back with it", async () => {
    const other = newPlace();
    await other.json(["import", sample]);
    await other.json(["config", "set", "serve.port", String(await freePort())]);
    const first = other.start(["serve"]);
    const [, address = ""] = await first.line(/Dashboard: (\S+)/);
    await page.goto(address);
    await shown("Live").waitFor();
    first.child.kill("SIGTERM");
    await first.ended;
    await shown("Reconnecting…").waitFor();
    const second = other.start(["serve"]);
    await second.line(/Dashboard/);
    await shown("Live").waitFor();
    second.child.kill("SIGTERM");
    await second.ended;
    other.remove();
  });
});

/** Runs in the page, so it is text here: Node has no document. */
const tryToBreakOut = `(async () => {
  const broken = [];
  document.addEventListener("securitypolicyviolation", (event) => broken.push(event.effectiveDirective));
  const script = document.createElement("script");
  script.textContent = "window.pwned = 1";
  document.body.append(script);
  const image = document.createElement("img");
  image.setAttribute("onerror", "window.pwned = 1");
  image.src = "http://127.0.0.1:1/x.png";
  document.body.append(image);
  await fetch("http://127.0.0.1:1/steal").catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 200));
  return { broken, pwned: window.pwned ?? null };
})()`;

async function freePort(): Promise<number> {
  const { createServer } = await import("node:net");
  return new Promise((resolve) => {
    const probe = createServer().listen(0, "127.0.0.1", () => {
      const { port } = probe.address() as { port: number };
      probe.close(() => resolve(port));
    });
  });
}
