import { ground } from "./001-ground.ts";
import { vectors } from "./002-vectors.ts";
import { aftermath } from "./003-aftermath.ts";
import { search } from "./007-search.ts";

/** In order; a landed one is never edited. The schema's version is how many have run. */
export const migrations: readonly string[] = [ground, vectors, aftermath, search];
