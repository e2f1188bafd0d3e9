import type { Reporter, TestModule } from "vitest/node";

/** What a run came to. A file or suite that failed outside its tests counts as one failure. */
interface Counts {
  passed: number;
  failed: number;
  skipped: number;
}

function count(modules: readonly TestModule[], unhandled: number): Counts {
  const counts = { passed: 0, failed: unhandled, skipped: 0 };
  for (const module of modules) {
    counts.failed += module.errors().length;
    for (const suite of module.children.allSuites()) counts.failed += suite.errors().length;
    for (const test of module.children.allTests()) {
      const { state } = test.result();
      // A test that never got its result, because the run was cut short, has not passed.
      counts[state === "pending" ? "failed" : state] += 1;
    }
  }
  return counts;
}

/**
 * Ends a run with one line of its own, `N passed, N failed`, with `, N skipped` where there are
 * any: the last thing written, whatever else reports. A run in which nothing passed has failed.
 */
export class LastLine implements Reporter {
  #counts: Counts = { passed: 0, failed: 1, skipped: 0 };

  onInit(): void {
    process.once("exit", () => {
      const { passed, failed, skipped } = this.#counts;
      if (passed === 0 || failed > 0) process.exitCode ||= 1;
      const skips = skipped > 0 ? `, ${skipped} skipped` : "";
      process.stdout.write(`${passed} passed, ${failed} failed${skips}\n`);
    });
  }

  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly unknown[]): void {
    this.#counts = count(modules, unhandled.length);
  }
}
