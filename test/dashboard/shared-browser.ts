import type { Browser } from "playwright-core";
import { launchBrowser } from "../../bench/browser.ts";

let launched: Promise<Browser> | undefined;

/** One for all files of a process: to start it takes longer than most tests. Each test has a context of its own. It ends with the process. */
export function sharedBrowser(): Promise<Browser> {
  launched ??= launchBrowser().then((browser) => {
    // One that crashed fails its test, not those after it.
    browser.once("disconnected", () => (launched = undefined));
    return browser;
  });
  return launched;
}
