import { defineConfig } from "vitest/config";

/** What `npm run test:mutants` runs against every mutant: tests in this process, on SQLite alone. The script says which. */
export default defineConfig({
  test: {
    include: (process.env["OLDHAND_MUTANT_TESTS"] ?? "src/domain/**/*.test.ts").split(","),
    isolate: false,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ["test/sqlite-template.ts"],
  },
});
