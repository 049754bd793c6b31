import axe from "axe-core";
import type { Page } from "playwright-core";

/** The rules of axe that depend on colours. All others find the same in light and dark. */
const ofColours = { runOnly: ["color-contrast", "link-in-text-block"] };

const screens = [
  { width: 1280, height: 900, colorScheme: "light", rules: {} },
  { width: 1280, height: 900, colorScheme: "dark", rules: ofColours },
  { width: 390, height: 844, colorScheme: "light", rules: ofColours },
  { width: 390, height: 844, colorScheme: "dark", rules: {} },
] as const;

/** What axe finds on the open page, and what is wider than the screen, by screen. */
export async function listFaults(
  page: Page,
  /** Another check for each size. */
  isRight: (size: { readonly width: number; readonly height: number }) => Promise<boolean> = async () => true,
): Promise<Readonly<Record<string, readonly string[]>>> {
  // Hidden content is not checked.
  await page.evaluate(
    "[...document.querySelectorAll('main details')].slice(0, 12).forEach((one) => { one.open = true; })",
  );
  await page.evaluate(axe.source);
  const found: Record<string, readonly string[]> = {};
  for (const { colorScheme, rules, ...size } of screens) {
    await page.setViewportSize(size);
    await page.emulateMedia({ colorScheme });
    const faults = [
      ...((await isRight(size)) ? [] : ["not as it should be"]),
      ...(await listTooWide(page)),
      ...(await listBreaches(page, rules)),
    ];
    if (faults.length > 0) found[`${size.width} ${colorScheme}`] = faults;
  }
  return found;
}

async function listBreaches(page: Page, rules: object): Promise<readonly string[]> {
  const options = JSON.stringify({ resultTypes: ["violations"], preload: false, ...rules });
  return (await page.evaluate(
    `axe.run(document, ${options}).then(({ violations }) => violations.map(({ id, nodes }) => \`\${id}: \${nodes.slice(0, 3).map(({ html }) => html.slice(0, 200)).join(" | ")}\`))`,
  )) as string[];
}

async function listTooWide(page: Page): Promise<readonly string[]> {
  const width = (await page.evaluate("document.documentElement.scrollWidth - innerWidth")) as number;
  if (width <= 0) return [];
  return (await page.evaluate(
    `[...document.querySelectorAll("main *, dialog[open] *")].filter((one) => one.getBoundingClientRect().right > innerWidth + 1 && getComputedStyle(one).overflowX === "visible").slice(0, 4).map((one) => one.outerHTML.slice(0, 160))`,
  )) as string[];
}
