/** Rows that a reconciler looks at in one transaction. */
const BATCH = 100;
/** Then the next round goes on, so that other kinds of lives have their turn. */
const MAX_ROUND_MS = 3_000;

/**
 * The batches of one round of a reconciler: they end with the first that was not full, since nothing more is due then, or when the
 * time of the round is over.
 */
export async function* batchesOfRound<Batch extends { looked: number }>(
  next: () => Promise<Batch>,
): AsyncGenerator<Batch, void, undefined> {
  const until = performance.now() + MAX_ROUND_MS;
  for (let looked = BATCH; looked === BATCH && performance.now() < until;) {
    const batch = await next();
    looked = batch.looked;
    yield batch;
  }
}

/** The number that a round woke. */
export interface Woken {
  woken: number;
}

/** A whole round of a reconciler that only wakes lives; the delivery is notified where it woke some. */
export async function wakeInBatches(
  delivery: { messagesCommitted(): void },
  next: () => Promise<Woken & { looked: number }>,
): Promise<Woken> {
  let woken = 0;
  for await (const batch of batchesOfRound(next)) woken += batch.woken;
  if (woken > 0) delivery.messagesCommitted();
  return { woken };
}
