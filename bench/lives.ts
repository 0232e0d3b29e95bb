import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../src/ids/ids.ts';
import { openTemporal } from '../temporal/client.ts';
import { lifeId } from '../src/ids/life-ids.ts';
import { commandsOf } from './commands.ts';
import type { World } from './world.ts';

/** Polling is slow because it uses the core of Postgres and Temporal; the measured times are those of rows and runs. */
const POLL_MS = 250;
const MAX_WAIT_MS = 120_000;
/** After the commit, until a message is due (`message_delay()`). */
const MESSAGE_DELAY_MS = 500;
/** Others of the worker run for ever. */
const INVOCATIONS = "WorkflowType = 'invocation'";
const text = { text: 'A short text.' };

const until = async (what: string, done: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + MAX_WAIT_MS;
  while (!(await done())) {
    if (performance.now() > deadline) throw new Error(`Waited two minutes in vain for ${what}.`);
    await pause(POLL_MS);
  }
};

/** A delivery and the last step of its lives, milliseconds since 1970. */
interface Phase {
  first: number;
  last: number;
}

export interface LivesRan {
  /** One a workflow task. */
  phases: Phase[];
  ids: string[];
}

interface LivesOptions {
  world: World;
  temporalAddress: string;
  /** Makes the service deliver messages that were written without its API. */
  deliver(): Promise<unknown>;
}

/** Writes invocations without the API and watches their lives, so that only draining is measured. */
export async function openLives({ world, temporalAddress, deliver }: LivesOptions) {
  const database = new pg.Client(world.databaseUrl);
  await database.connect();
  const { client, close } = openTemporal({
    address: temporalAddress,
    namespace: 'default',
    apiKey: undefined,
    tls: undefined,
  });
  const { invoke, claim, complete } = commandsOf(database, world);

  /** In one transaction, so that all messages are there when the first is delivered. @returns when that is, milliseconds since 1970 */
  const write = async (ids: string[], work: (id: string) => Promise<unknown>): Promise<number> => {
    await database.query('begin');
    for (const id of ids) await work(id);
    await database.query('commit');
    await deliver();
    return Date.now() + MESSAGE_DELAY_MS;
  };

  /** From the delivery to the moment at which every life has looked. */
  const stepped = async (ids: string[], { first, ended }: { first: number; ended: boolean }): Promise<Phase> => {
    await until(`the steps of ${ids.length} lives`, async () => {
      const { rows } = await database.query<{ done: boolean }>({
        name: 'stepped',
        text: `select bool_and(followed_up = $2 and ($2 or exists (select from lives where life = 'invocation:' || i.id and epoch is not null))) as done
               from invocations i where id = any($1)`,
        values: [ids, ended],
      });
      return rows[0]?.done === true;
    });
    return { first, last: Date.now() };
  };

  const steppedAfter = async (
    ids: string[],
    { ended, work }: { ended: boolean; work(id: string): Promise<unknown> },
  ): Promise<Phase> => stepped(ids, { first: await write(ids, work), ended });

  return {
    /** `oneTask`: completed before they are delivered; `twoTasks`: claimed and completed after their first task. */
    async drain(kind: 'oneTask' | 'twoTasks', count: number): Promise<LivesRan> {
      const ids = Array.from({ length: count }, () => newId('inv'));
      const finish = async (id: string): Promise<void> => {
        await claim(id);
        await complete(id, text);
      };
      const phases: Phase[] = [];
      if (kind === 'oneTask') {
        phases.push(
          await steppedAfter(ids, { ended: true, work: async (id) => invoke(text, id).then(() => finish(id)) }),
        );
      } else {
        phases.push(await steppedAfter(ids, { ended: false, work: (id) => invoke(text, id) }));
        phases.push(await steppedAfter(ids, { ended: true, work: finish }));
      }
      return { phases, ids: ids.map(lifeId.invocation) };
    },
    /** Timed from the delivery of each phase to its last step, in the last phase to the last end of a run that Temporal recorded. */
    async perSecond({ phases, ids }: LivesRan): Promise<number> {
      await until(
        'runs to close',
        async () => (await client.workflow.count(`${INVOCATIONS} and ExecutionStatus = 'Running'`)).count === 0,
      );
      let closed = 0;
      const since = new Date(phases[0]?.first ?? 0).toISOString();
      for await (const { closeTime } of client.workflow.list({ query: `${INVOCATIONS} and CloseTime > '${since}'` })) {
        closed = Math.max(closed, closeTime?.getTime() ?? 0);
      }
      const milliseconds = phases.reduce(
        (sum, { first, last }, at) => sum + (at === phases.length - 1 ? closed : last) - first,
        0,
      );
      return (ids.length * 1_000) / milliseconds;
    },
    async tasksOf(workflowIds: string[]): Promise<number> {
      const histories = await Promise.all(workflowIds.map((id) => client.workflow.getHandle(id).fetchHistory()));
      const tasks = histories.flatMap(({ events }) =>
        (events ?? []).filter((event) => event.workflowTaskCompletedEventAttributes),
      );
      return tasks.length / workflowIds.length;
    },
    async close(): Promise<void> {
      await Promise.all([database.end(), close()]);
    },
  };
}
