/** Nobody should wonder for longer whether something still goes on. */
const SILENCE_MS = 10_000;
const LOOK_MS = 1_000;

/**
 * Calls `say` for every ten seconds in which nothing was printed, with the seconds since the beginning, until the end.
 * Call `printed` with each line that is printed otherwise.
 */
export function whileSilent(say: (seconds: number) => void): { printed(): void; end(): void } {
  const began = Date.now();
  let last = began;
  const timer = setInterval(() => {
    const now = Date.now();
    if (now - last < SILENCE_MS) return;
    last = now;
    say(Math.round((now - began) / 1_000));
  }, LOOK_MS).unref();
  return { printed: () => void (last = Date.now()), end: () => clearInterval(timer) };
}
