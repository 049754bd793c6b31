import { describe, expect, it } from "vitest";
import { sample } from "../program.ts";
import { openedOn } from "./opened.ts";

const dashboard = openedOn(async (place) => {
  await place.json(["import", sample]);
  await place.json(["distil", "--write"]);
  await place.json(["remember", "Deploys happen on Tuesdays only"]);
  await place.json(["remember", "The shop rounds prices to cents"]);
  await place.json(["mistake", "deployed on a Friday", "--pattern", "bad-timing", "--everywhere"]);
});

const search = () => new URL(dashboard.page.url()).searchParams;
const palette = () => dashboard.page.getByRole("combobox", { name: "Search everything" });
const options = () => dashboard.page.getByRole("option");

describe("pages", () => {
  it("have a key of their own each", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions");
    await dashboard.listening();
    const links = await page.locator("nav a[aria-keyshortcuts]").all();
    const keys = await Promise.all(links.map((link) => link.getAttribute("aria-keyshortcuts")));
    expect(keys.length).toBeGreaterThan(10);
    expect(new Set(keys).size).toBe(keys.length);
    await page.keyboard.press("g");
    await page.keyboard.press("g");
    await page.getByRole("heading", { level: 1, name: "Goals" }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("o");
    await page.getByRole("heading", { level: 1, name: "Models" }).waitFor();
  });
});

describe("time range and workspace", () => {
  it("are chosen by one control and a key, stand in the address, and outlive a reload and a page", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions");
    await dashboard.listening();
    await page.keyboard.press("f");
    await page.getByRole("radio", { name: "Last 7 days" }).check();
    await page.getByRole("radio", { name: /^shop/ }).first().check();
    await page.keyboard.press("Escape");
    expect(search().get("range")).toBe("7d");
    const workspace = search().get("workspace");
    expect(workspace).toContain("shop");

    await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Rules" }).click();
    await page.getByRole("heading", { level: 1, name: "Rules" }).waitFor();
    expect([search().get("range"), search().get("workspace")]).toEqual(["7d", workspace]);
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
    await page.reload();
    await page.getByRole("button", { name: /Last 7 days · shop/ }).waitFor();

    await page.getByRole("button", { name: /Last 7 days/ }).click();
    await page.getByRole("button", { name: "Show everything" }).click();
    expect([...search().keys()]).toEqual([]);
    expect(dashboard.complaints).toEqual([]);
  });

  it("go with a link that is opened in another tab", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions?range=30d");
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Ledger" });
    expect(await link.getAttribute("href")).toBe("/ledger");
    await link.click({ button: "right" });
    expect(await link.getAttribute("href")).toBe("/ledger?range=30d");
  });

  it("take days from and to", async () => {
    const { page } = dashboard;
    await dashboard.open("/sessions");
    await page.getByRole("button", { name: /All time/ }).click();
    await page.getByLabel("From", { exact: true }).fill("2025-01-05");
    await page.getByLabel("To", { exact: true }).fill("2025-01-31");
    await page.getByRole("button", { name: "Done" }).click();
    expect([search().get("from"), search().get("to")]).toEqual(["2025-01-05", "2025-01-31"]);
    await page.getByRole("button", { name: /5 Jan 2025 to 31 Jan 2025/ }).waitFor();
  });

  it("are said not to hold where they cannot", async () => {
    await dashboard.open("/hosts?range=7d");
    await dashboard.page.getByText("Not narrowed by time or workspace").waitFor();
    expect(await dashboard.page.getByRole("button", { name: /Last 7 days/ }).count()).toBe(0);
  });
});

describe("the palette", () => {
  it("opens by Ctrl-K also while typing, goes to a page, and gives the focus back", async () => {
    const { page } = dashboard;
    await dashboard.open("/rules");
    const filter = page.getByRole("searchbox", { name: "Filter rules" });
    await filter.focus();
    await page.keyboard.press("Control+k");
    await palette().waitFor();
    await page.keyboard.press("Escape");
    await palette().waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.ariaLabel")).toBe("Filter rules");
    await page.keyboard.press("Meta+k");
    await palette().fill("histo");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "History" }).waitFor();
  });

  it("finds rules, mistakes, memories, ledger entries and sessions, and leads to each", async () => {
    const { page } = dashboard;
    await dashboard.open("/");
    await page.keyboard.press("Control+k");
    await palette().fill("deploy");
    await page.getByRole("group", { name: "Memories" }).getByText("Deploys happen on Tuesdays only").waitFor();
    await page.getByRole("group", { name: "Ledger" }).getByText("deployed on a Friday").click();
    await page.getByRole("heading", { level: 1, name: "Ledger" }).waitFor();
    expect(search().get("pattern")).toBe("bad-timing");

    await page.keyboard.press("Control+k");
    await palette().fill("docker");
    await page.getByRole("group", { name: "Rules" }).getByRole("option").first().waitFor();
    await page.getByRole("group", { name: "Mistakes" }).getByRole("option").first().waitFor();
    await page.getByRole("group", { name: "Sessions" }).getByRole("option").first().click();
    await page.waitForURL(/\/sessions\/.*at=/);
    expect(dashboard.complaints).toEqual([]);
  });

  it("stays open when it is opened again while it is being closed", async () => {
    const { page } = dashboard;
    await dashboard.open("/");
    await page.keyboard.press("Control+k");
    await palette().waitFor();
    // The browser reports a closed dialog a little later, when the page has drawn it again.
    await page.evaluate(`(async () => {
      const press = () => document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", ctrlKey: true }));
      press();
      for (let turn = 0; turn < 20; turn++) await null;
      press();
      await new Promise((resolve) => setTimeout(resolve, 200));
    })()`);
    expect(await palette().count()).toBe(1);
  });

  it("moves by arrows, tells a screen reader where it is, and keeps the focus inside", async () => {
    const { page } = dashboard;
    await dashboard.open("/");
    await page.keyboard.press("Control+k");
    await palette().waitFor();
    const first = await palette().getAttribute("aria-activedescendant");
    expect(await page.locator(`[id="${first}"]`).getAttribute("aria-selected")).toBe("true");
    await page.keyboard.press("ArrowDown");
    const second = await palette().getAttribute("aria-activedescendant");
    expect(second).not.toBe(first);
    expect(await options().and(page.locator("[aria-selected=true]")).getAttribute("id")).toBe(second);
    for (let step = 0; step < 4; step++) await page.keyboard.press("Tab");
    expect(
      await page.evaluate(
        "document.activeElement === document.body || document.activeElement.closest('dialog') !== null",
      ),
    ).toBe(true);
  });

  it("remembers where it led", async () => {
    const { page } = dashboard;
    await dashboard.open("/");
    await page.keyboard.press("Control+k");
    await palette().fill("hosts");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
    await page.keyboard.press("Control+k");
    await page.getByRole("group", { name: "Recent" }).getByText("Hosts").waitFor();
  });

  it("stops a search that was overtaken", async () => {
    const { page } = dashboard;
    await dashboard.open("/");
    const stopped: string[] = [];
    page.on("requestfailed", (request) => stopped.push(request.postData() ?? ""));
    await page.route("**/api/find", async (route) => {
      if (route.request().postDataJSON().query === "dock") await new Promise((done) => setTimeout(done, 3_000));
      await route.continue().catch(() => undefined);
    });
    await page.keyboard.press("Control+k");
    const requested = page.waitForRequest("**/api/find");
    await palette().fill("dock");
    await requested;
    await palette().fill("docker");
    await page.getByRole("group", { name: "Rules" }).getByRole("option").first().waitFor();
    expect(stopped.some((body) => body.includes('"dock"'))).toBe(true);
  });

  it("runs a command", async () => {
    const { page } = dashboard;
    await dashboard.open("/failures");
    await page.keyboard.press("Control+k");
    await palette().fill("last 30");
    await page.keyboard.press("Enter");
    await expect.poll(() => search().get("range")).toBe("30d");
  });
});

describe("keys", () => {
  it("? shows those of the page, of every page, and the way to each page", async () => {
    const { page } = dashboard;
    await dashboard.open("/rules/review");
    await dashboard.listening();
    await page.keyboard.press("?");
    const keys = page.getByRole("dialog", { name: "Keys" });
    for (const text of ["Approve the candidate", "Go to the next or previous row", "Failures"])
      await keys.getByText(text, { exact: true }).waitFor();
    // A key that decides must have no effect while the list of keys is open.
    await page.keyboard.press("a");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /Approve/ }).waitFor();
    expect(await page.getByText(/^Approved:/).count()).toBe(0);
  });

  it.each(["/", "/sessions", "/sessions/s-01", "/failures", "/rules", "/ledger", "/memory", "/history", "/hosts"])(
    "j and k walk through the rows of %s",
    async (path) => {
      const { page } = dashboard;
      await dashboard.open(path === "/sessions/s-01" ? await firstSession() : path);
      await page.locator("main li").first().waitFor();
      await dashboard.listening();
      const row = () =>
        page.evaluate(
          "[...document.querySelectorAll('main li')].filter((one) => one.parentElement.closest('li') === null).findIndex((one) => one.contains(document.activeElement))",
        ) as Promise<number>;
      await page.keyboard.press("j");
      const first = await row();
      expect(first).toBeGreaterThanOrEqual(0);
      await page.keyboard.press("j");
      const second = await row();
      expect(second).toBeGreaterThan(first);
      await page.keyboard.press("k");
      expect(await row()).toBe(first);
    },
  );

  async function firstSession(): Promise<string> {
    const { body } = await dashboard.serving.call<{ sessions: { id: string }[] }>("sessions/list", { limit: 1 });
    return `/sessions/${body.sessions[0]?.id}`;
  }

  it("Enter opens the row that j came to", async () => {
    const { page } = dashboard;
    await dashboard.open("/failures");
    await page.locator("main li").first().waitFor();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator("main details[open]").waitFor();
  });

  it("the first Tab offers to skip to the content", async () => {
    const { page } = dashboard;
    await dashboard.open("/rules");
    await page.evaluate("document.activeElement.blur()");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Skip to content");
    await page.keyboard.press("Enter");
    expect(await page.evaluate("document.activeElement.id")).toBe("main");
  });
});
