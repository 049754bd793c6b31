import { defineConfig } from "vitest/config";

/** The suite of `npm test`: under ten minutes on two cores. Slower suites have configurations of their own. */
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "bench/**/*.test.ts", "test/**/*.test.ts", "dashboard/src/**/*.test.ts"],
    exclude: ["test/slow/**", "test/hosts/**", "node_modules/**", "dist/**"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    // Most of a test's time is a program it started, or a server it asked. Left to itself, vitest would take one of two cores.
    maxWorkers: 3,
    globalSetup: ["test/postgres-server.ts"],
    reporters: ["default", "./test/closing-line.ts"],
  },
});
