import { describe, expect, it } from "vitest";
import { newThreadLock, newLockMemory, releaseThreadLock } from "./thread-lock.ts";

describe("turns at storing", () => {
  it("go to the next one when the one before is done, also where it failed", async () => {
    const shared = newLockMemory();
    const [first, second] = [newThreadLock(shared, 1), newThreadLock(shared, 2)];
    expect(await first(async () => holder(shared))).toBe(1);
    await expect(first(() => Promise.reject(new Error("no room")))).rejects.toThrow("no room");
    expect(await second(async () => holder(shared))).toBe(2);
    expect(holder(shared)).toBe(0);
  });

  it("are taken back from a thread that died with one, and from nobody else", async () => {
    const shared = newLockMemory();
    Atomics.store(new Int32Array(shared), 0, 1);
    releaseThreadLock(shared, 2);
    expect(holder(shared)).toBe(1);
    releaseThreadLock(shared, 1);
    expect(await newThreadLock(shared, 2)(async () => "mine")).toBe("mine");
  });
});

function holder(shared: SharedArrayBuffer): number {
  return Atomics.load(new Int32Array(shared), 0);
}
