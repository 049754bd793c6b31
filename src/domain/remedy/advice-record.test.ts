import { describe, expect, it } from "vitest";
import { findAdviceFailures } from "./advice-record.ts";

const worked = { failed: false, isGone: false };
const failed = { failed: true, isGone: false };
const fifty = Array.from({ length: 50 }, () => worked);
const gone = { failed: true, isGone: true };

describe("the record of an advised call", () => {
  it.each([
    ["one failure may be chance", [failed], null],
    ["it fails as often as it helps", [worked, failed, worked, failed], { failed: 2, of: 4 }],
    ["it fails less often than it helps", [worked, worked, failed, worked, failed], null],
    ["only the latest sessions count", [...fifty, failed, failed, failed], { failed: 3, of: 6 }],
    ["what it names was gone in the last two", [...fifty, gone, gone], { failed: 2, of: 6 }],
    ["what it names is back", [gone, gone, worked, worked, worked], null],
  ])("%s", (_, sessions, expected) => expect(findAdviceFailures(sessions)).toEqual(expected));
});
