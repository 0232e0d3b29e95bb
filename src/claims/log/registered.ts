import type { Context } from '../../context/context.ts';
import { assertKeyOpens, underLock } from './under-lock.ts';
import { signedTree } from './log-key.ts';
import { addRegistration, listUnregistered, noteRegisteredFrom } from './queries.ts';
import { registeredFrom, secondsOf, signRegisteredFrom, signRegistration } from './registration.ts';

/** Batches that are given a registration in one transaction: 20 ms of signing. */
const AT_ONCE = 500;

/**
 * Gives a registration to batches from before there were any, the newest first, and to those that a release before this one appended beside it:
 * what their rows say now is signed, and kept. From then on a batch without one is one whose rows were changed.
 * @returns how many were given one; null: the log is stopped
 */
export const registerOlder = (context: Context): Promise<number | null> =>
  underLock(context, async ({ connection, log, row }) => {
    const from = row.registered_from === null ? row.tree_size + 1 : registeredFrom(log, row.registered_from);
    const batches = await listUnregistered(connection, { below: from, limit: AT_ONCE });
    if (batches.length === 0) return 0;
    assertKeyOpens(log);
    for (const { tree_size: size, note, registry, created_at: createdAt } of batches) {
      const { rootHash: root } = signedTree(log, note);
      await addRegistration(
        connection,
        size,
        signRegistration(log, { size, root, registry, registeredAt: secondsOf(createdAt) }),
      );
    }
    const smallest = batches.at(-1)?.tree_size ?? 0;
    if (smallest < from) await noteRegisteredFrom(connection, signRegisteredFrom(log, smallest));
    return batches.length;
  });
