import { expect, it } from "vitest";
import { formatDayAndTime } from "./ago.ts";
import { localizeTimes } from "./localize-times.ts";

it("shows the times of a text in the zone of its reader", () => {
  const at = "2026-05-01T12:00:00Z";
  const now = Date.parse(at);
  const local = formatDayAndTime(now, now);
  expect(localizeTimes(`not run before ${at}, because it failed`, now)).toBe(
    `not run before ${local}, because it failed`,
  );
  expect(localizeTimes("2026-05-01T12:00:00.000Z and 2026-05-01", now)).toBe(`${local} and 2026-05-01`);
});
