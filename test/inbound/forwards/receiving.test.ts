import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPorts } from '../../../activities/ports.ts';
import { advanceInbound } from '../../../src/inbound/events/life.ts';
import { forwardInbound } from '../../../src/inbound/forwards/forward.ts';
import { createOutbound } from '../../../src/outbound/index.ts';
import { ownContext, type OwnContext } from '../../invocations/own-context.ts';
import { assertShown, startReceiver, type Receiver } from '../../notifications/support/receiver.ts';
import { asSent, judgeWith, languages, type Try } from '../../support/receiving-lines.ts';
import { hexHeaders, newEndpoint, newEvent } from '../support/endpoints.ts';

describe('A forward, judged with the lines of docs/receiving-webhooks.md', function () {
  this.timeout(120_000);
  let own: OwnContext;
  let receiver: Receiver;
  let folder: string;
  let tries: Try[];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-receiving-'));
    own = await ownContext();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: own.context.config.publicBaseUrl });
    const context = { ...own.context, outbound, ...createPorts(own.context) };
    receiver = await startReceiver();
    const endpoint = await newEndpoint(context, { forwardUrl: receiver.url });
    const stranger = await newEndpoint(context);
    // Characters that another serialisation of the same JSON would write in other bytes.
    for (const note of ['Two boxes, please.', 'é 😀 \u2028 <&> "/" 1.0']) {
      const id = await newEvent(context, endpoint, { note });
      assert.equal((await advanceInbound(context, id)).status, 'forward');
      await forwardInbound(context, id);
    }
    assert.equal(receiver.calls.length, 2);
    for (const call of receiver.calls) assertShown(call);
    const [before, { headers, body }] = receiver.calls.map(asSent) as [
      ReturnType<typeof asSent>,
      ReturnType<typeof asSent>,
    ];
    const signature = (value: string): Partial<Try> => ({ headers: { ...headers, 'x-service-signature': value } });
    const bodyOf = (text: string): Partial<Try> => ({ raw: Buffer.from(text).toString('base64') });
    const attempt = (name: string, fits: boolean, change: Partial<Try> = {}): Try => ({
      name,
      secret: endpoint.secret,
      headers,
      raw: Buffer.from(body).toString('base64'),
      // A forward has one signature, over its body alone.
      fits: false,
      fits_body: fits,
      ...change,
    });
    tries = [
      attempt('as it was sent', true),
      attempt('with another verdict', false, bodyOf(body.replace('"verdict":"clean"', '"verdict":"other"'))),
      attempt('parsed and written again', false, bodyOf(JSON.stringify(JSON.parse(body), null, 1))),
      attempt(
        'with the signature of the forward before',
        false,
        signature(before.headers['x-service-signature'] ?? ''),
      ),
      attempt(
        'signed by somebody else',
        false,
        signature(hexHeaders(stranger.secret, body)['x-service-signature'] ?? ''),
      ),
      attempt('without a signature', false, signature('')),
    ];
    assert.equal(
      new Set(tries.map(({ headers: of, raw }) => `${of['x-service-signature']} ${raw}`)).size,
      tries.length,
    );
  });
  after(async () => {
    await receiver.stop();
    await own.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const language of languages)
    it(`fits in ${language}, and five that were tampered with do not`, () => judgeWith(language, folder, tries));
});
