/** Cases under way at once: they wait more than they compute, and each holds some processes. */
const WIDTH = 4;

/** `it`, for a case that does not touch what another case of the suite does. */
export type ItBeside = (title: string, work: () => Promise<void>) => void;

/**
 * Lets the cases of a suite that mostly wait do so together, up to four at a time, from when mocha comes to the first of them; each stays
 * a test with its own name and its own failure. To be called before the suite's own hooks are declared: what they take down is
 * used to the end of the last case.
 */
export function sideBySide(): ItBeside {
  const waiting: (() => Promise<void>)[] = [];
  let running: Promise<void>[] | undefined;
  const runOn = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await next();
  };
  after(async () => {
    waiting.length = 0; // some are left only where mocha stopped at a failure
    await Promise.all(running ?? []);
  });
  return (title, work) => {
    const { promise: outcome, resolve, reject } = Promise.withResolvers<void>();
    outcome.catch(() => undefined); // it may fail before mocha comes to it, which then tells
    waiting.push(() => work().then(resolve, reject));
    it(title, () => {
      running ??= Array.from({ length: WIDTH }, runOn);
      return outcome;
    });
  };
}
