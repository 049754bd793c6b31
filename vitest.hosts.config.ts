import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/hosts/**/*.test.ts"],
    testTimeout: 600_000,
    hookTimeout: 600_000,
    pool: "forks",
    fileParallelism: false,
    globalSetup: ["test/postgres-server.ts"],
    reporters: ["default", "./test/closing-line.ts"],
  },
});
