import type { Browser, BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { launchBrowser } from "../../bench/browser.ts";
import { serveFrom, type Serving } from "../http/serving.ts";
import { newPlace, type Place } from "../program.ts";

/** A served mind and a real browser's page, for the tests of one file. */
export interface Opened {
  readonly place: Place;
  readonly serving: Serving;
  readonly page: Page;
  /** Errors that the browser reported since the test began. */
  readonly complaints: readonly string[];
  readonly origin: string;
  /** Opens the printed address first, like a user, and then the path. */
  open(path: string): Promise<void>;
  /** Waits until the page handles keys: a frame after it renders, too late for a test without this. */
  listening(): Promise<void>;
}

/** `fill` may return variables for the environment of the server. */
export function openedOn(fill: (place: Place) => Promise<Readonly<Record<string, string>> | void>): Opened {
  let browser: Browser | undefined;
  let serving: Serving | undefined;
  let context: BrowserContext | undefined;
  let page: Page | undefined;
  let place: Place | undefined;
  let complaints: string[] = [];
  const there = <T>(value: T | undefined): T => {
    if (value === undefined) throw new Error("the test has not begun");
    return value;
  };

  beforeAll(async () => {
    place = newPlace();
    const env = await fill(place);
    [browser, serving] = await Promise.all([launchBrowser(), serveFrom(place, env ?? {})]);
  });
  afterAll(async () => {
    await browser?.close();
    await serving?.stop();
    place?.remove();
  });
  beforeEach(async () => {
    context = await there(browser).newContext();
    page = await context.newPage();
    page.setDefaultTimeout(15_000);
    complaints = [];
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(String(error)));
  });
  afterEach(async () => {
    await context?.close();
  });

  return {
    get place() {
      return there(place);
    },
    get serving() {
      return there(serving);
    },
    get page() {
      return there(page);
    },
    get complaints() {
      return complaints;
    },
    get origin() {
      return `http://127.0.0.1:${there(serving).port}`;
    },
    async open(path) {
      await this.page.goto(this.serving.address);
      await this.page.getByRole("heading", { level: 1, name: "Today" }).waitFor();
      await this.page.goto(this.origin + path);
      await this.page.getByRole("heading", { level: 1 }).waitFor();
    },
    async listening() {
      await this.page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
      );
    },
  };
}
