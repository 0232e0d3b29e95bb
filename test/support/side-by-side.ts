import { everyCase } from './cases.ts';

/** Cases of one file that run in parallel, beside as many of another file: they wait about as much as they compute. */
const WIDTH = 3;

/** `it` for a case that is independent of the other cases of the suite; `inFull` is `itInFull` for one. */
interface ItBeside {
  (title: string, work: () => Promise<void>): void;
  inFull(title: string, work: () => Promise<void>): void;
}

/**
 * Runs the cases of a suite that mostly wait together, up to three at a time, as soon as mocha reaches the first of
 * them. Each stays a test with its own name and its own failure. Call it before the hooks of the suite are declared:
 * what the hooks take down is used until the last case ends.
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
  const itBeside = (title: string, work: () => Promise<void>): void => {
    const { promise: outcome, resolve, reject } = Promise.withResolvers<void>();
    outcome.catch(() => undefined); // it may fail before mocha reaches it, which then reports the failure
    waiting.push(() => work().then(resolve, reject));
    it(title, () => {
      running ??= Array.from({ length: WIDTH }, runOn);
      return outcome;
    });
  };
  return Object.assign(itBeside, {
    inFull(title: string, work: () => Promise<void>): void {
      if (everyCase) itBeside(title, work);
    },
  });
}
