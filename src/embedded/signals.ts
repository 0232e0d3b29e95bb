const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

type StopSignal = (typeof STOP_SIGNALS)[number];

/** Read immediately, so that the death of a parent is noticed even while the parts are being started. */
const PARENT = process.ppid;

/** Short beside the five seconds that the parts may take to end. */
const CHECK_MS = 500;

/**
 * Calls `stop` at the first signal to stop. Later ones do nothing: Ctrl-C arrives twice, from the terminal and from npm.
 */
export function onStopSignal(stop: (signal: StopSignal) => void): void {
  let stopping = false;
  for (const signal of STOP_SIGNALS) {
    process.on(signal, () => {
      if (stopping) return;
      stopping = true;
      stop(signal);
    });
  }
}

/**
 * Calls `stop` once when npm, which started this process, has ended: npm does not pass SIGHUP on, and cannot pass on
 * SIGKILL. Without npm it does nothing, since a service may go on after the shell that started it.
 */
export function watchParent(stop: () => void): void {
  if (process.env.npm_lifecycle_event === undefined) return;
  const timer = setInterval(() => {
    if (process.ppid === PARENT) return;
    clearInterval(timer);
    stop();
  }, CHECK_MS);
  timer.unref();
}
