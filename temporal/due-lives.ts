import type { Context } from '../src/context/context.ts';
import { parseLifeId, type LifeKind } from '../src/ids/life-ids.ts';
import { metrics } from '../src/metrics/metrics.ts';
import type { LifeDefinitions } from './lives.ts';
import {
  adoptLives,
  countReadyLives,
  deliverLives,
  putOffLives,
  takeDueLives,
  takeWaitingLives,
} from './lives-table.ts';

/** Lives that are taken together, and looked at in one transaction a kind. */
const BATCH = 100;
/** For what is due, and again for what waits: then the next round goes on. */
const MAX_WALK_MS = 1_500;
/** While so many wait for Temporal, a life that can be looked at without a run is not given to it as well. */
const MAX_READY = 1_000;
/** After this long a life that Temporal has no place for is looked at without a run. */
const WAITS_SECONDS = 3;
/** … and where Temporal does not answer, as during its start. */
const WAITS_FOR_TEMPORAL_SECONDS = 10;
/** Lives of another store of lives that a round gives new turns to. */
const ADOPTED = 2_000;

const livesSettled = metrics.counter(
  'carnet_lives_settled_without_run',
  'Lives that ended by a look without a run in Temporal',
);

interface Round {
  temporalIsAway: boolean;
}

/**
 * One round of looking after lives, whether Temporal answers or not: those that are due and nobody has looked at, and those that have waited for
 * their delivery too long. A kind that can be looked at without a run is; all others are delivered.
 * @throws what the look of a kind threw, when all the others are done
 */
export function createRound(lives: LifeDefinitions) {
  const kinds = Object.keys(lives).filter((kind) => lives[kind as LifeKind].look !== undefined);
  let [lastDue, lastWaiting] = ['', ''];
  const faults: Error[] = [];

  const lookAt = async (context: Context, taken: readonly string[], wakes: boolean): Promise<void> => {
    for (const [kind, ofKind] of Map.groupBy(taken, (life) => parseLifeId(life)?.kind)) {
      const look = kind === undefined ? undefined : lives[kind].look;
      if (kind === undefined) {
        await putOffLives(context.pool, ofKind, 'This release knows no life of this kind.');
      } else if (look === undefined) {
        await deliverLives(context.pool, ofKind);
        context.delivery.messagesCommitted();
      } else {
        try {
          const { ended } = await look(context, { lives: ofKind, wakes });
          livesSettled.add(ended, { kind });
        } catch (error) {
          faults.push(error instanceof Error ? error : new Error(String(error))); // it takes no other kind with it
          await putOffLives(context.pool, ofKind, String(error));
        }
      }
    }
  };

  return async (context: Context, { temporalIsAway }: Round): Promise<void> => {
    const { pool, config } = context;
    faults.length = 0;
    let until = performance.now() + MAX_WALK_MS;
    for (let isLeft = true; isLeft && performance.now() < until;) {
      const { taken, last_owner: last } = await takeDueLives(pool, { limit: BATCH, after: lastDue });
      const wakes =
        config.runForEveryLife || taken.length === 0 || (await countReadyLives(pool, MAX_READY)) < MAX_READY;
      await lookAt(context, taken, wakes);
      isLeft = taken.length > 0 || last !== null;
      lastDue = last ?? '';
    }
    const seconds = temporalIsAway ? WAITS_FOR_TEMPORAL_SECONDS : WAITS_SECONDS;
    until = performance.now() + MAX_WALK_MS;
    for (let isLeft = !config.runForEveryLife; isLeft && performance.now() < until;) {
      const { taken, last_owner: last } = await takeWaitingLives(pool, {
        kinds,
        seconds,
        limit: BATCH,
        after: lastWaiting,
      });
      await lookAt(context, taken, false);
      isLeft = taken.length > 0 || last !== null;
      lastWaiting = last ?? '';
    }
    await adoptLives(pool, ADOPTED);
    const [fault] = faults;
    if (fault !== undefined) throw fault;
  };
}
