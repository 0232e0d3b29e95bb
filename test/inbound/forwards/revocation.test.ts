import assert from 'node:assert/strict';
import { setTimeout as pass } from 'node:timers/promises';
import { z } from 'zod';
import { sql } from '../../../src/database/pool.ts';
import { newId } from '../../../src/ids/ids.ts';
import { revokeEndpoint } from '../../../src/inbound/endpoints/revoke.ts';
import { advanceInbound, type ScannerContext } from '../../../src/inbound/events/life.ts';
import { forwardInbound } from '../../../src/inbound/forwards/forward.ts';
import type { Scanner } from '../../../src/inbound/scanner/index.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { callOf, ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { startReceiver, type Receiver } from '../../notifications/support/receiver.ts';
import { newOperator } from '../../notifications/support/destinations.ts';
import { roundsOf } from '../../support/cases.ts';
import { newEndpoint, newEvent } from '../support/endpoints.ts';

const INTERLEAVINGS = roundsOf(1_000, 150);
/** Runs in parallel; the pool has eight connections. */
const AT_ONCE = 8;

const StatusRow = z.object({ status: z.string(), forwards: z.number() });

describe('Revoking an endpoint while its events are worked on', function () {
  this.timeout(300_000);
  let own: OwnContext;
  let receiver: Receiver;
  let operatorId: string;
  before(async () => {
    own = await ownContext();
    receiver = await startReceiver();
    operatorId = await newOperator(own.context);
  });
  after(async () => {
    await receiver.stop();
    await own.close();
  });

  /** A scanner that finds nothing, and holds its answer until the test lets it go. */
  const heldScanner = (held: Promise<unknown>): Scanner => ({
    async scan() {
      await held;
      return { verdict: 'clean', severity: 'none', findings: [] };
    },
    async read() {
      await held;
      return {};
    },
    async excerpt() {
      await held;
      return '';
    },
    close: async () => {},
  });

  /** @param scanMs how long the scanner holds, @param revokeMs when it is revoked. */
  async function interleave({ scanMs, revokeMs }: { scanMs: number; revokeMs: number }) {
    const { context } = own;
    const { publicBaseUrl } = context.config;
    const forwardUrl = receiver.urlOf(newId('evt'));
    const endpoint = await newEndpoint(context, { operatorId, forwardUrl });
    const scanning: ScannerContext = {
      ...context,
      outbound: createOutbound({ allowLoopback: true, publicBaseUrl }),
      scanner: heldScanner(pass(scanMs)),
    };
    const id = await newEvent(context, endpoint);
    let callsAtAnswer: number | undefined;
    const revoking = (async () => {
      await pass(revokeMs);
      const call = callOf(operatorId, 'deleteInboundEndpoint');
      await revokeEndpoint(context, call, { id: endpoint.id, signal: new AbortController().signal });
      callsAtAnswer = receiver.callsAt(forwardUrl).length;
    })();
    const working = (async () => {
      for (;;) {
        const { status } = await advanceInbound(scanning, id);
        if (status === 'ended') return;
        if (status === 'forward') await forwardInbound(scanning, id);
        else await pass(1);
      }
    })();
    await Promise.all([revoking, working]);
    const { status, forwards } = await context.pool.one(sql.type(StatusRow)`
      select status, (select count(*) from inbound_forwards where event_id = v.id) as forwards from inbound_events v where id = ${id}`);
    const calls = receiver.callsAt(forwardUrl).length;
    assert.equal(calls, callsAtAnswer, 'nothing arrives after the revocation was answered');
    assert.equal(calls, forwards, 'a call for each leave');
    assert.equal(status, calls === 1 ? 'forwarded' : 'revoked');
    return status;
  }

  it(`forwards nothing once it is answered, in ${INTERLEAVINGS} interleavings`, async () => {
    const seen = new Map<string, number>();
    let begun = 0;
    const runner = async (): Promise<void> => {
      while (begun < INTERLEAVINGS) {
        const n = begun++;
        // From long before the scan ends to long after the forward.
        const status = await interleave({ scanMs: (n * 7) % 11, revokeMs: (n * 13) % 41 });
        seen.set(status, (seen.get(status) ?? 0) + 1);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, runner));
    assert.deepEqual([...seen.keys()].toSorted(), ['forwarded', 'revoked'], 'both ends were met');
  });

  it('between the end of the scan and the forward: no leave is written, and no call is made', async () => {
    const { context } = own;
    const forwardUrl = receiver.urlOf(newId('evt'));
    const endpoint = await newEndpoint(context, { operatorId, forwardUrl });
    const scanning: ScannerContext = {
      ...context,
      outbound: createOutbound({ allowLoopback: true, publicBaseUrl: context.config.publicBaseUrl }),
      scanner: heldScanner(Promise.resolve()),
    };
    const id = await newEvent(context, endpoint);
    assert.equal((await advanceInbound(scanning, id)).status, 'forward');
    const call = callOf(operatorId, 'deleteInboundEndpoint');
    await revokeEndpoint(context, call, { id: endpoint.id, signal: new AbortController().signal });
    await forwardInbound(scanning, id);
    assert.equal((await advanceInbound(scanning, id)).status, 'ended');
    const row = await context.pool.one(sql.type(StatusRow)`
      select status, (select count(*) from inbound_forwards where event_id = v.id) as forwards from inbound_events v where id = ${id}`);
    assert.deepEqual(row, { status: 'revoked', forwards: 0 });
    assert.equal(receiver.callsAt(forwardUrl).length, 0);
  });

  it('while it is scanned: 410, and nothing leaves', async () => {
    assert.equal(await interleave({ scanMs: 200, revokeMs: 20 }), 'revoked');
  });
});
