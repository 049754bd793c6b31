import type { Reporter, TestModule } from "vitest/node";

/** Prints one machine-readable line at the end: `N passed, N failed, N skipped`. */
export default class ClosingLine implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    const count = { passed: 0, failed: 0, skipped: 0 };
    for (const module of modules) {
      if (module.errors().length > 0) count.failed++;
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state !== "pending") count[state]++;
      }
    }
    // The package of the database server ends the process itself, always with exit code 0.
    if (count.failed > 0 || unhandled.length > 0) process.on("exit", () => (process.exitCode = 1));
    process.stdout.write(
      `\n${count.passed} passed, ${count.failed} failed${count.skipped > 0 ? `, ${count.skipped} skipped` : ""}\n`,
    );
  }
}
