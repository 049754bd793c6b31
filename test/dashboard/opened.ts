import type { BrowserContext, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import { serveFrom, type Serving } from "../http/serving.ts";
import { newPlace, type Place } from "../program.ts";
import { sharedBrowser } from "./shared-browser.ts";

/** A served mind and a real browser's page, for the tests of one file. */
export interface Opened {
  readonly place: Place;
  readonly serving: Serving;
  readonly page: Page;
  readonly context: BrowserContext;
  /** Errors that the browser reported since the test began. */
  readonly complaints: readonly string[];
  readonly origin: string;
  /** Opens the path in a tab that has the token. */
  open(path: string): Promise<void>;
  /** Waits until the page handles keys: a frame after it renders, too late for a test without this. */
  listening(): Promise<void>;
}

/** `fill` may return variables for the environment of the server. */
export function openedOn(fill: (place: Place) => Promise<Readonly<Record<string, string>> | void>): Opened {
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
    [serving] = await Promise.all([serveFrom(place, env ?? {}), sharedBrowser()]);
  });
  afterAll(async () => {
    await serving?.stop();
    place?.remove();
  });
  beforeEach(async () => {
    context = await (await sharedBrowser()).newContext();
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
    get context() {
      return there(context);
    },
    get complaints() {
      return complaints;
    },
    get origin() {
      return `http://127.0.0.1:${there(serving).port}`;
    },
    async open(path) {
      // A tab keeps its token. An address that differs only in it would not load the page again.
      const hasToken = this.page.url().startsWith(this.origin);
      await this.page.goto(hasToken ? this.origin + path : `${this.origin}${path}#token=${this.serving.token}`);
      await this.page.getByRole("heading", { level: 1 }).waitFor();
    },
    async listening() {
      await this.page.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))",
      );
    },
  };
}
