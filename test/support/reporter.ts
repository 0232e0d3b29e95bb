import { relative } from 'node:path';
import { reporters, type MochaOptions, type Runnable, type Runner } from 'mocha';
import { recordTimes } from '../../scripts/test-order.ts';
import { whileSilent } from '../../src/process/while-silent.ts';

/** How many of the slowest tests are listed: they show where the time of a run goes. */
const SLOWEST = 20;

/**
 * mocha's `spec` reporter with the slowest tests one plain line at the end that people, scripts and CI can read, and a line for every ten
 * seconds in which it would print none.
 */
class CountingSpec extends reporters.Spec {
  readonly #timed: { title: string; ms: number }[] = [];
  /** Seconds by file, from the root of the project. */
  readonly #files = new Map<string, number>();
  readonly #records: boolean;

  constructor(runner: Runner, options: MochaOptions = {}) {
    super(runner, options);
    this.#records = options.reporterOptions?.record === 'true';
    const note = (test: Runnable): void => {
      const { duration: ms = 0, file = '' } = test;
      this.#timed.push({ title: test.titlePath().join(' › '), ms });
      const path = relative(process.cwd(), file);
      if (file !== '') this.#files.set(path, (this.#files.get(path) ?? 0) + ms / 1_000);
    };
    runner.on('pass', note).on('hook end', note);
    const silence = whileSilent((seconds) => {
      const { passes, failures } = this.stats;
      reporters.Base.consoleLog('  … %d s, %d passed and %d failed so far', seconds, passes, failures);
    });
    for (const event of ['suite', 'pass', 'fail', 'pending']) runner.on(event, silence.printed);
    runner.once('end', silence.end);
  }

  override epilogue(): void {
    super.epilogue();
    const slowest = this.#timed
      .filter(({ ms }) => ms >= 1_000)
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, SLOWEST);
    if (slowest.length > 0) reporters.Base.consoleLog('The slowest:');
    for (const { title, ms } of slowest)
      reporters.Base.consoleLog('%s s  %s', (ms / 1_000).toFixed(1).padStart(7), title);
    const { passes, failures } = this.stats;
    if (this.#records) recordTimes(process.cwd(), this.#files);
    reporters.Base.consoleLog('%d passed, %d failed', passes, failures);
  }
}

// The only default export of the project: mocha takes a reporter from a module's `default`.
export default CountingSpec;
