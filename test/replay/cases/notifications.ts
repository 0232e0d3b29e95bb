import { sql } from '../../../src/database/pool.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import {
  newDestination,
  newOperator,
  newRule,
  newWebhook,
  recordEvents,
} from '../../notifications/support/destinations.ts';
import { answers, startReceiver } from '../../notifications/support/receiver.ts';
import { runOf } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

const sending =
  (status: number): Case =>
  async (rig) => {
    const receiver = await startReceiver(answers(status));
    const webhook = await newWebhook(rig.context, receiver.url);
    await recordEvents(rig.context, webhook.operatorId, { count: 2 });
    const life = runOf(rig, lifeId.notification(webhook.id));
    await life.ended();
    await receiver.stop();
    return life;
  };

/** Eight other destinations of the operator are sending, for two seconds. */
const waiting: Case = async (rig) => {
  const receiver = await startReceiver();
  const operatorId = await newOperator(rig.context);
  for (let at = 0; at < 8; at += 1) {
    const { id } = await newDestination(rig.context, { operatorId, destination: receiver.url });
    await run(
      rig.context.pool,
      sql.fragment`update destinations set sending_until = clock_timestamp() + interval '2 seconds' where id = ${id}`,
    );
  }
  const webhook = await newDestination(rig.context, { operatorId, destination: receiver.url });
  await newRule(rig.context, { destinations: [webhook] });
  await recordEvents(rig.context, operatorId);
  const life = runOf(rig, lifeId.notification(webhook.id));
  await life.ended();
  await receiver.stop();
  return life;
};

/** A worker that is gone had begun a call, 28 seconds ago. */
const interrupted: Case = async (rig) => {
  const receiver = await startReceiver();
  const webhook = await newWebhook(rig.context, receiver.url);
  await rig.together(async () => {
    await recordEvents(rig.context, webhook.operatorId);
    await run(
      rig.context.pool,
      sql.fragment`
      update deliveries set started_at = clock_timestamp() - interval '28 seconds' where destination_id = ${webhook.id}`,
    );
  });
  const life = runOf(rig, lifeId.notification(webhook.id));
  await life.ended();
  await receiver.stop();
  return life;
};

export const notifications: Cases = {
  'notification/delivered': sending(204),
  'notification/failed': sending(500),
  'notification/turn': waiting,
  'notification/interrupted': interrupted,
};
