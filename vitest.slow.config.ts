import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/slow/**/*.test.ts"],
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    pool: "forks",
    fileParallelism: false,
    globalSetup: ["test/postgres-server.ts"],
    reporters: ["default", "./test/closing-line.ts"],
  },
});
