import type { Locator, Page } from "playwright-core";

export type Values = Readonly<Record<string, string | true>>;

/** Presses an action's button, on the page or in the menu. */
export async function pressAction(scope: Locator, label: string): Promise<void> {
  const button = scope.getByRole("button", { name: label, exact: true });
  const menu = scope.locator("summary", { hasText: "More…" });
  await button.or(menu).first().waitFor();
  if (!(await button.first().isVisible())) await menu.first().click();
  await button.first().click();
}

/** Fills in an action's form by the names of its inputs. */
export async function fillAction(page: Page, values: Values): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("heading", { level: 2 }).waitFor();
  for (const [name, value] of Object.entries(values)) {
    const field = dialog.locator(`[name="${name}"]`);
    if (!(await field.isVisible())) await dialog.getByText("More inputs").click();
    if (value === true) await field.check();
    else if ((await field.evaluate((one) => one.tagName)) === "SELECT") await field.selectOption(value);
    else await field.fill(value);
  }
}

export async function submitAction(page: Page): Promise<void> {
  await page.getByRole("dialog").locator("button[type=submit]").click();
}
