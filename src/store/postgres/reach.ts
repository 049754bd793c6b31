import type pg from "pg";
import { sinceStart } from "../../lib/clock.ts";
import type { ServerReach } from "../engine/db.ts";

/** Makes a connection of its own, as a hook does, and asks for nothing a few times. */
export async function measureReach(driver: typeof pg, connection: string, connectMs: number): Promise<ServerReach> {
  const client = new driver.Client({
    connectionString: connection,
    connectionTimeoutMillis: connectMs,
    application_name: "oldhand",
  });
  client.on("error", () => {});
  const time = async (act: () => Promise<unknown>) => {
    const began = sinceStart();
    await act();
    return sinceStart() - began;
  };
  const connecting = await time(() => client.connect());
  try {
    const trips: number[] = [];
    for (let at = 0; at < TRIPS; at++) trips.push(await time(() => client.query("select 1")));
    return { connectMs: connecting, roundTripMs: trips.toSorted((a, b) => a - b)[Math.floor(TRIPS / 2)] ?? 0 };
  } finally {
    await client.end();
  }
}

const TRIPS = 5;
