import assert from 'node:assert/strict';
import { z } from 'zod';
import { sql } from '../../src/database/pool.ts';
import { insertMember } from '../../src/accounts/members/queries.ts';
import { lifeId } from '../../src/ids/life-ids.ts';
import type { OperatorId } from '../../src/ids/ids.ts';
import { newOperator } from '../notifications/support/destinations.ts';
import { run } from '../billing/ledger/ledger-world.ts';
import { eventually } from '../support/eventually.ts';
import { unique } from '../support/factories.ts';
import { sideBySide } from '../support/side-by-side.ts';
import { pointsOfSteps } from './fault-points.ts';
import { worldsOfSuite } from './worlds.ts';

const Count = z.object({ count: z.number() });

describe('kill -9 of a worker that mails people', function () {
  this.timeout(600_000);
  const itBeside = sideBySide();
  const worlds = worldsOfSuite();

  for (const point of pointsOfSteps('advanceBriefing')) {
    itBeside(`at ${point}: each is mailed once`, () =>
      worlds.visit(async (world) => {
        const { pool } = world.context;
        const operatorId = await newOperator(world.context);
        const email = `${unique('told')}@example.test`;
        const member = {
          operatorId: operatorId as OperatorId,
          email,
          role: 'owner',
          joined: true,
          invitedBy: null,
        } as const;
        await insertMember(pool, member);
        const dying = await world.worker({ FAULT_AT: point });
        await run(pool, sql.fragment`select record_service_event(${operatorId}, 'agent.unblocked', 'warning', '{}')`);
        world.context.delivery.messagesCommitted();
        assert.equal(await dying.ended, 'SIGKILL');
        await world.runHere('worker');
        const mails = () => pool.oneFirst(sql.type(Count)`select count(*) from mails where recipient = ${email}`);
        await eventually('the mail', async () => (await mails()) > 0, { seconds: 120 });
        await world.lives.client.workflow.getHandle(lifeId.briefing(operatorId)).result();
        assert.equal(await mails(), 1);
      }),
    );
  }
});
