/** Why something was given up: its time was over, or the caller wanted no more. */
export type Ending = 'timeout' | 'aborted';

/**
 * Runs `work` with a signal that aborts after `ms` or when `parent` does; its reason is the `Ending`. It waits for `work`, which must
 * end once the signal aborts.
 */
export async function within<Result>(
  ms: number,
  parent: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const onParent = (): void => controller.abort(parent === undefined ? 'aborted' : endingOf(parent));
  const timer = setTimeout(() => controller.abort('timeout' satisfies Ending), ms);
  if (parent?.aborted === true) onParent();
  parent?.addEventListener('abort', onParent, { once: true });
  try {
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    parent?.removeEventListener('abort', onParent);
  }
}

/** Says how a signal has ended: one of a caller's own counts as `aborted`. */
export const endingOf = ({ reason }: AbortSignal): Ending => (reason === 'timeout' ? 'timeout' : 'aborted');

/** As `work`, but rejects as soon as the signal aborts; what comes of `work` then is dropped. */
export async function orAborted<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error('given up', { cause: signal.reason }));
  if (signal.aborted) onAbort();
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
