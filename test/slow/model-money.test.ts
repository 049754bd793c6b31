import { it } from "vitest";
import { playInterleavings } from "../models/money/interleavings.ts";
import { stores, withStore } from "../stores.ts";

it.each(stores)(
  "a thousand orders of reserve, settle, release, death and the end of leases never pass a cap, on $name",
  (kind) => withStore(kind, ({ db }) => playInterleavings(db, 1_000)),
  600_000,
);
