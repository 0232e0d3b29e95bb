const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export type StopSignal = (typeof STOP_SIGNALS)[number];

/** Taken at once, so that a parent that dies while the parts are being started is missed too. */
const PARENT = process.ppid;

/** How often we look for our parent: with the parts' five seconds to end this stays well below what a person waits. */
const LOOK_MS = 500;

/**
 * Calls `stop` at the first signal that asks this process to end. Later ones do nothing: Ctrl-C arrives twice, from the
 * terminal and from npm.
 */
export const onStopSignal = (stop: (signal: StopSignal) => void): void => {
  let asked = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (asked) return;
      asked = true;
      stop(signal);
    });
  }
};

/**
 * Calls `stop` once when npm, which started this process, is gone: npm hands a hang-up on to nobody and can say nothing
 * when it is killed. Without npm it does nothing: a service may well be left running by the shell that started it.
 */
export const watchParent = (stop: () => void): void => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    stop();
  }, LOOK_MS);
  timer.unref();
};
