import { expect, it } from "vitest";
import { patienceFor } from "./patience.ts";
import { patienceAfterConnecting } from "./server-patience.ts";

it("waits longer for a server than for a file, but never longer than a second at a call", () => {
  expect(patienceFor({ at: "other", isServer: false, slowness: 1 })).toBe(200);
  expect(patienceFor({ at: "other", isServer: true, slowness: 1 })).toBe(600);
  expect(patienceFor({ at: "other", isServer: true, slowness: 4 })).toBe(1_000);
  expect(patienceFor({ at: "other", isServer: false, slowness: 9 })).toBe(800);
});

it("waits no longer for a server that has hung lately than for a file", () => {
  expect(patienceFor({ at: "other", isServer: true, slowness: 1, hasHung: true })).toBe(200);
  expect(patienceFor({ at: "start", isServer: true, slowness: 1, hasHung: true })).toBe(1_000);
});

it("waits longer for the answers of a server that took long to connect", () => {
  expect(patienceAfterConnecting(20, 600, 1)).toBe(200);
  expect(patienceAfterConnecting(80, 600, 1)).toBe(400);
  expect(patienceAfterConnecting(300, 600, 1)).toBe(600);
});
