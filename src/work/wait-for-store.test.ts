import { describe, expect, it } from "vitest";
import { fixedClock } from "../lib/clock.ts";
import { OldhandError } from "../lib/errors.ts";
import { waitForStore } from "./wait-for-store.ts";

const away = () => new OldhandError("store-unreachable", "the database does not answer");

function newWaiter(failures: number, error: () => Error = away) {
  const said: string[] = [];
  const stop = new AbortController();
  const clock = fixedClock(1_000);
  const outage = { at: null as number | null };
  let tries = 0;
  const wait = () =>
    waitForStore(
      {
        ...{ clock, outage, signal: stop.signal, say: (line: string) => said.push(line) },
        sleep: async (ms: number) => {
          clock.advance(ms);
          if (tries >= 50) stop.abort();
        },
      },
      async () => {
        if (tries++ < failures) throw error();
        return "open";
      },
    );
  return { wait, said, outage };
}

describe("waiting for the store", () => {
  it("says once that it does not answer, and once that it does", async () => {
    const { wait, said, outage } = newWaiter(5);
    expect(await wait()).toBe("open");
    expect(said).toEqual(["the database does not answer; it is tried again", "the database answers again"]);
    expect(outage.at).toBe(5_000);
  });

  it("says nothing if it answers at once", async () => {
    const { wait, said } = newWaiter(0);
    expect(await wait()).toBe("open");
    expect(said).toEqual([]);
  });

  it("ends when it is stopped", async () => {
    expect(await newWaiter(Number.POSITIVE_INFINITY).wait()).toBeNull();
  });

  it("does not wait if the database refuses the connection", async () => {
    const refused = () => new OldhandError("config", "the role has no schema");
    await expect(newWaiter(1, refused).wait()).rejects.toThrow("no schema");
  });
});
