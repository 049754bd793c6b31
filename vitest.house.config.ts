import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/house/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "forks",
    fileParallelism: false,
    reporters: ["default", "./test/closing-line.ts"],
  },
});
