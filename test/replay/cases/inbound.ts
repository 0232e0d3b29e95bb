import { setTimeout as pass } from 'node:timers/promises';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { lifeId } from '../../../src/ids/life-ids.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { HOSTILE, newEndpoint, newEvent } from '../../inbound/support/endpoints.ts';
import { answers, startReceiver } from '../../notifications/support/receiver.ts';
import { runOf } from '../../temporal/runs.ts';
import type { Case, Cases } from './case.ts';

const forwarding =
  (status: number): Case =>
  async (rig) => {
    const receiver = await startReceiver(answers(status));
    const endpoint = await newEndpoint(rig.context, { forwardUrl: receiver.url });
    const life = runOf(rig, lifeId.inbound(await newEvent(rig.context, endpoint)));
    await life.ended();
    await receiver.stop();
    return life;
  };

const held: Case = async (rig) => {
  const endpoint = await newEndpoint(rig.context, { forwardUrl: 'https://hooks.example.com/' });
  return runOf(rig, lifeId.inbound(await newEvent(rig.context, endpoint, { comment: HOSTILE })));
};

/** Eight forwards of the operator are under way, for two seconds. */
const waiting: Case = async (rig) => {
  const receiver = await startReceiver();
  const endpoint = await newEndpoint(rig.context, { forwardUrl: receiver.url });
  const { pool } = rig.context;
  for (let at = 0; at < 8; at += 1) {
    const [event, forward] = [newId('iev'), newId('ifw')];
    await run(
      pool,
      sql.fragment`
      with event as (
        insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated,
          size, status, ended_at)
        values (${event}, ${endpoint.id}, ${endpoint.operatorId}, ${endpoint.agentId}, 'generic', ${event}::bytea, 'body', '', 'hex', true, 1,
          'recorded', now()) returning id)
      insert into inbound_forwards (id, event_id, endpoint_id, operator_id, attempt)
      select ${forward}, id, ${endpoint.id}, ${endpoint.operatorId}, 1 from event`,
    );
  }
  const life = runOf(rig, lifeId.inbound(await newEvent(rig.context, endpoint)));
  await pass(2_000); // the turn is looked for once a second
  await run(
    pool,
    sql.fragment`
    update inbound_forwards set status = 'forwarded', ended_at = now() where endpoint_id = ${endpoint.id} and status = 'sending'`,
  );
  await life.ended();
  await receiver.stop();
  return life;
};

export const inbound: Cases = {
  'inbound/forwarded': forwarding(204),
  'inbound/failed': forwarding(500),
  'inbound/blocked': held,
  'inbound/turn': waiting,
};
