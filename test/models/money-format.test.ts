import { describe, expect, it } from "vitest";
import {
  formatDollars as formatInDashboard,
  formatDollarsDown as formatDownInDashboard,
} from "../../dashboard/src/text/money.ts";
import { formatDollars, formatDollarsDown } from "../../src/domain/model/money.ts";

describe("an amount of money", () => {
  it.each([
    [0, "$0"],
    [0.00225, "$0.0023"],
    [0.0045, "$0.0045"],
    [0.00000071, "$0.00000071"],
    [0.0999, "$0.10"],
    [0.5, "$0.50"],
    [1, "$1.00"],
    [1.005, "$1.01"],
    [19.9978, "$20.00"],
    [1234.5, "$1,234.50"],
  ])("is written the same in a terminal and on the dashboard: %d", (amount, text) => {
    expect([formatDollars(amount), formatInDashboard(amount)]).toEqual([text, text]);
  });

  it.each([
    [0, "$0"],
    [19.9978, "$19.99"],
    [20, "$20.00"],
    [0.3, "$0.30"],
    [0.02999, "$0.029"],
    [7.5, "$7.50"],
  ])("that is left is never rounded up: %d", (amount, text) => {
    expect([formatDollarsDown(amount), formatDownInDashboard(amount)]).toEqual([text, text]);
  });
});
