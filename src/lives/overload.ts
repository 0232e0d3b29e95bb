import { defineCache } from '../context/caches.ts';
import type { Context } from '../context/context.ts';
import { CarnetError } from '../errors/carnet-error.ts';
import { backlogOfLives, type Backlog } from './backlog.ts';

/** How old what a process knows of the backlog may be; it looks beside the call that finds it older. */
const KNOWN_MS = 1_000;
/** Lives of one operator that are due and wait for their delivery, as a share of MAX_DUE_LIVES. */
const SHARE_OF_OPERATOR = 10;

const overloadCache = defineCache(({ pool, config, log }) => {
  const bounds = { all: config.maxDueLives, own: Math.ceil(config.maxDueLives / SHARE_OF_OPERATOR) };
  let known: Backlog = { ready: 0, oldest_seconds: 0, owners: [] };
  let looksAgainAt = 0;
  let isLooking = false;
  const look = async (): Promise<void> => {
    isLooking = true;
    try {
      known = await backlogOfLives(pool, bounds);
    } catch (error) {
      log.debug({ err: error }, 'the backlog of lives cannot be read; what is known of it stays');
    } finally {
      isLooking = false;
    }
  };
  return {
    bounds,
    backlog(): Backlog {
      if (!isLooking && performance.now() >= looksAgainAt) {
        looksAgainAt = performance.now() + KNOWN_MS;
        void look();
      }
      return known;
    },
  };
});

/**
 * Refuses what begins new work for a life while too many lives are due that nobody has been able to look at: first that of an operator who has many
 * of them, then that of all. Nothing that completes work, gives money back, revokes or reads calls it.
 * @throws CarnetError OVERLOADED with Retry-After
 */
export function refuseWhereOverloaded(context: Context, operatorId: string): void {
  const { bounds, backlog } = context.caches.get(overloadCache);
  const { ready, oldest_seconds: seconds, owners } = backlog();
  const isOwn = owners.includes(operatorId);
  if (!isOwn && ready < bounds.all) return;
  const whose = isOwn ? `${bounds.own} lives of this operator` : `${bounds.all} lives`;
  throw new CarnetError(
    'OVERLOADED',
    `The service is behind: at least ${whose} wait, the oldest for ${Math.ceil(seconds)} seconds. This call began nothing; what a call before it began goes on. Send it again later, with the Idempotency-Key that it has.`,
    { headers: { 'Retry-After': isOwn ? '10' : '30' } },
  );
}
