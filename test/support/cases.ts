/**
 * Whether this run tries every case of a matrix and every round of what is tried at random: `npm run test:all` does, and
 * `EVERY_CASE=true mocha test/faults`. `npm test` tries one case of each mechanism, since most of its processor time went to cases that
 * differ in little.
 */
export const everyCase = process.env.EVERY_CASE === 'true';

/**
 * The cases that this run tries.
 * @param usual those that `npm test` tries too
 * @throws Error where these are none: a case that was renamed would no longer be tried, and nobody would see it.
 */
export function casesOf<T>(all: readonly T[], usual: (one: T) => boolean): readonly T[] {
  const some = all.filter(usual);
  if (some.length === 0) throw new Error(`No case of these is tried in \`npm test\`: ${all.map(String).join(', ')}.`);
  return everyCase ? all : some;
}

/**
 * The languages in which this run tries the lines of a page. `npm test` leaves out Go, which first compiles its own library and all packages
 * of a program: 30 to 50 seconds of processor time on a machine that never did.
 */
export const languagesOf = <T extends string>(all: readonly T[]): readonly T[] => casesOf(all, (one) => one !== 'go');

/** How often something is tried that chance decides. @param usual in `npm test` */
export const roundsOf = (all: number, usual: number): number => (everyCase ? all : usual);

/** `it` for a case that `npm test` leaves out: it costs many seconds, and what it shows another case shows in another way. */
export function itInFull(title: string, test: (this: Mocha.Context) => void | Promise<void>): void {
  if (everyCase) it(title, test);
}
