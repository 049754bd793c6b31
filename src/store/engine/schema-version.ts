/** The number of migrations. Repeated here, so that an up-to-date mind need not load them; a test compares. */
export const SCHEMA_VERSION = 33;
