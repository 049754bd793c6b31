import type { Reporter, TestModule } from "vitest/node";

/** Prints each test that ran twice because its first run timed out, then one machine-readable line: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
        if ((test.diagnostic()?.retryCount ?? 0) > 0)
          process.stdout.write(
            `\nran twice, timed out first: ${module.relativeModuleId}: ${test.fullName} (${state})\n`,
          );
      }
    }
    // The package of the database server ends the process itself, always with exit code 0.
    if (count.failed > 0 || unhandled.length > 0) process.on("exit", () => (process.exitCode = 1));
    process.stdout.write(
      `\n${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ""}\n`,
    );
  }
}
