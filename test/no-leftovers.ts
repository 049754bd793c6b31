import { afterAll, expect } from "vitest";

const env = { ...process.env };
const folder = process.cwd();
const { fetch } = globalThis;

/** Test files share their processes, so that the source is loaded once for many. A file that leaves something behind fails itself. */
afterAll(() => {
  expect({ ...process.env }, "the environment is as the file found it").toEqual(env);
  expect(process.cwd()).toBe(folder);
  expect(globalThis.fetch === fetch, "fetch is as the file found it").toBe(true);
});
