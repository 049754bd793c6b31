import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { type Place, describeRun } from "../program.ts";

export async function eventsIn(place: Place, home: string): Promise<number> {
  return (await place.json<{ counts: { events: number } }>(["status", "--home", home])).counts.events;
}

export function lostIn(home: string): number {
  return existsSync(join(home, "lost")) ? statSync(join(home, "lost")).size : 0;
}

/** Expects an intact store with all completed events and nothing half-written. */
export async function isSound(place: Place, home: string, events: { least: number; most: number }): Promise<void> {
  const stored = await eventsIn(place, home);
  expect(stored).toBeGreaterThanOrEqual(events.least);
  expect(stored).toBeLessThanOrEqual(events.most);
  const doctor = await place.run(["doctor", "--home", home]);
  expect(doctor.code, describeRun(doctor)).toBe(0);
  expect(doctor.stdout).toContain("journal and mind agree");
  expect(lostIn(home)).toBe(0);
  const left = existsSync(join(home, "spool")) ? readdirSync(join(home, "spool")) : [];
  for (const name of left.filter((one) => !one.endsWith(".part")))
    expect(readFileSync(join(home, "spool", name), "utf8")).toMatch(/\n$/);
}
