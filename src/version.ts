import pack from "../package.json" with { type: "json" };

/** Inlined into the bundles at build time, so that no file is read for it. */
export const version: string = pack.version;
