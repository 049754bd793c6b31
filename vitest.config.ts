import { defineConfig } from "vitest/config";
import { keepFilesInMemory } from "./test/memory-folder.ts";

keepFilesInMemory();

const elsewhere = ["test/slow/**", "test/hosts/**", "test/house/**", "node_modules/**", "dist/**"];
/** Functions without a store, a process or a file: their tests leave nothing behind, so they share one process. */
const pure = ["src/domain/**/*.test.ts", "src/lib/**/*.test.ts"];
/** These share processes too: to load the source, and to start the warm program, takes longer than most of their files. */
const shared = ["src/observe", "test/cli", "test/identity", "test/memory", "test/search"].map(
  (folder) => `${folder}/**/*.test.ts`,
);

/** The suite of `npm test`: under ten minutes on two cores. `npm run check` runs test/house; slower suites have configurations of their own. */
export default defineConfig({
  test: {
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Most of a test's time is a program it started, or a server it asked. Left to itself, vitest would take one of two cores.
    maxWorkers: 3,
    reporters: ["default", "./test/closing-line.ts"],
    projects: [
      { extends: true, test: { name: "pure", include: pure, isolate: false } },
      {
        extends: true,
        test: {
          name: "shared",
          include: shared,
          isolate: false,
          setupFiles: ["test/no-leftovers.ts"],
          globalSetup: ["test/postgres-server.ts"],
        },
      },
      {
        extends: true,
        test: {
          name: "whole",
          include: ["src/**/*.test.ts", "bench/**/*.test.ts", "test/**/*.test.ts", "dashboard/src/**/*.test.ts"],
          exclude: [...pure, ...shared, ...elsewhere],
          globalSetup: ["test/postgres-server.ts"],
        },
      },
    ],
  },
});
