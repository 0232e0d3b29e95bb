import assert from 'node:assert/strict';
import { createLogger } from '../../../src/context/logging.ts';
import { withCaches } from '../../../src/context/caches.ts';
import type { Context } from '../../../src/context/context.ts';
import { CarnetError } from '../../../src/errors/carnet-error.ts';
import { admitRequest, receiveInbound } from '../../../src/inbound/receiver/receive.ts';
import { noteRefusals } from '../../../src/inbound/receiver/note-refusals.ts';
import { sql } from '../../../src/database/pool.ts';
import { metricsText } from '../../../src/metrics/metrics.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { newEndpoint, type TestEndpoint } from '../support/endpoints.ts';

describe('noteRefusals', () => {
  let own: OwnContext;
  let context: Context;
  const lines: Record<string, unknown>[] = [];
  before(async () => {
    own = await ownContext();
    const log = createLogger('info', { write: (line: string) => void lines.push(JSON.parse(line) as never) });
    context = withCaches({ ...own.context, log });
  });
  after(() => own.close());
  beforeEach(() => void lines.splice(0));

  const send = async ({ slug }: TestEndpoint): Promise<unknown> => {
    const { found } = await admitRequest(context, { provider: 'generic', slug });
    const request = { headers: {}, body: Buffer.from('{}') };
    return noteRefusals(context, found, () => receiveInbound(context, found, request)).catch((error: unknown) => error);
  };
  const counted = async (): Promise<number> =>
    Number(/^carnet_inbound_refusals_total\{code="KEY_UNAVAILABLE"\} (\d+)/m.exec(await metricsText())?.[1] ?? 0);

  it('counts what cannot be taken by its code, and names each endpoint once a minute', async () => {
    const endpoints = [await newEndpoint(context), await newEndpoint(context)];
    await run(context.pool, sql.fragment`update inbound_endpoints set secret = 'AAAAAAAA.AAAA.AAAA.AAAA'`);
    const before = await counted();
    for (const endpoint of [...endpoints, ...endpoints]) {
      const refusal = await send(endpoint);
      assert(refusal instanceof CarnetError && refusal.code === 'KEY_UNAVAILABLE');
    }
    assert.equal((await counted()) - before, 4);
    assert.deepEqual(
      lines.map(({ level, endpointId, operatorId, code }) => [level, endpointId, operatorId, code]),
      endpoints.map(({ id, operatorId }) => ['warn', id, operatorId, 'KEY_UNAVAILABLE']),
    );
  });

  it('says nothing of what is the fault of the sender', async () => {
    const refusal = await send(await newEndpoint(context));
    assert(refusal instanceof CarnetError && refusal.code === 'INVALID_SIGNATURE');
    assert.deepEqual(lines, []);
  });
});
