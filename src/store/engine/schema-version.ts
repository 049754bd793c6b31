/** How many migrations there are. Said here too, so that who finds a mind up to date need not load them; a test compares. */
export const SCHEMA_VERSION = 23;
