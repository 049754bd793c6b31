import { it } from "vitest";
import { stores, withStore } from "../../stores.ts";
import { playInterleavings } from "./interleavings.ts";

it.each(stores)(
  "in any order of reserve, extend, settle, release, death and the end of leases the caps hold, on $name",
  // On both stores. Each step is a query to a server, so there are few runs here and more in test/slow.
  (kind) => withStore(kind, ({ db }) => playInterleavings(db, kind.name === "sqlite" ? 240 : 40)),
  120_000,
);
