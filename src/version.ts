import pack from "../package.json" with { type: "json" };

/** Written into the bundles at build time, so that no file is read for it. */
export const version: string = pack.version;
