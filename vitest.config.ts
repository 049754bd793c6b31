import { defineConfig } from "vitest/config";
import { keepFilesInMemory } from "./test/memory-folder.ts";

keepFilesInMemory();

const elsewhere = ["test/slow/**", "test/hosts/**", "test/house/**", "node_modules/**", "dist/**"];
/** Functions without a store, a process or a file: they need no server. */
const pure = ["src/domain/**/*.test.ts", "src/lib/**/*.test.ts"];

/** The suite of `npm test`: under ten minutes on two cores. `npm run check` runs test/house; slower suites have configurations of their own. */
export default defineConfig({
  test: {
    testTimeout: 120_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 30_000, interval: 50 } },
    // A busy machine may make one test wait too long. It gets one more run, which test/closing-line.ts prints. Any other failure stands.
    retry: { count: 1, condition: /timed out in \d+ ?ms|Timeout \d+ms exceeded/ },
    pool: "forks",
    // Most of a test's time is a program it started, or a server it asked. Left to itself, vitest would take one of two cores.
    maxWorkers: 3,
    reporters: ["default", "./test/closing-line.ts"],
    // Files share processes: to load the source, and to start the warm program and the browser, takes longer than most of them.
    isolate: false,
    projects: [
      { extends: true, test: { name: "pure", include: pure } },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "test/**/*.test.ts", "dashboard/src/**/*.test.ts"],
          exclude: [...pure, ...elsewhere],
          setupFiles: ["test/no-leftovers.ts"],
          globalSetup: ["test/postgres-server.ts"],
        },
      },
    ],
  },
});
