import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { createPorts } from '../../activities/ports.ts';
import { createOutbound } from '../../src/outbound/index.ts';
import { destinationSecrets } from '../../src/notifications/channels/secrets.ts';
import { newWebhookSecret } from '../../src/webhooks/secrets.ts';
import { signedRequest } from '../../src/webhooks/signed-request.ts';
import { sendNotifications } from '../../src/notifications/index.ts';
import { sql } from '../../src/database/pool.ts';
import { run as execute } from '../billing/ledger/ledger-world.ts';
import { ownContext, type OwnContext } from '../invocations/own-context.ts';
import { asSent, judgeWith, languages, type Try, type Verdict } from '../support/receiving-lines.ts';
import { newWebhook, recordEvents } from './support/destinations.ts';
import { startReceiver, type ReceivedCall, type Receiver } from './support/receiver.ts';

describe('docs/receiving-webhooks.md', function () {
  this.timeout(120_000);
  let own: OwnContext;
  let receiver: Receiver;
  let folder: string;
  let tries: Try[];
  let call: ReceivedCall;
  let secrets: { now: string; before: string };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'carnet-receiving-'));
    own = await ownContext();
    const outbound = createOutbound({ allowLoopback: true, publicBaseUrl: 'https://carnet.example.test' });
    const context = { ...own.context, outbound, ...createPorts(own.context) };
    receiver = await startReceiver();
    const webhook = await newWebhook(context, receiver.url);
    // As after a rotation: the secret of before still counts.
    secrets = { now: newWebhookSecret(), before: webhook.secret };
    await execute(
      context.pool,
      sql.fragment`
      update destinations set secret = ${destinationSecrets.encrypt(context.encryption, { id: webhook.id, secret: secrets.now })}, old_secret = secret,
        old_secret_until = clock_timestamp() + interval '1 hour'
      where id = ${webhook.id}`,
    );
    // Characters that another serialisation of the same JSON would write in other bytes.
    const flags = [{ type: 'a', severity: 'critical', message: 'é 😀 \u2028 <&> "/" 1.0' }];
    await recordEvents(context, webhook.operatorId, { payload: { flags } });
    await sendNotifications(context, webhook.id);
    assert.equal(receiver.calls.length, 1);
    call = receiver.calls[0] ?? assert.fail();
    tries = triesOf(call, secrets);
  });
  after(async () => {
    await receiver.stop();
    await own.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const language of languages) {
    it(`has lines of ${language} that take what was delivered, and nothing else`, () =>
      judgeWith(language, folder, tries));
  }

  it('is right that the official library of Standard Webhooks takes ours, under both secrets of a rotation', () => {
    const { headers, body } = asSent(call);
    for (const secret of [secrets.now, secrets.before])
      assert.deepEqual(new Webhook(secret).verify(body, headers), JSON.parse(body));
    assert.throws(() => new Webhook(newWebhookSecret()).verify(body, headers));
    assert.throws(() => new Webhook(secrets.now).verify(`${body} `, headers));
  });
});

/** The request that was delivered, and what somebody else could make of it. */
function triesOf(call: ReceivedCall, { now, before }: { now: string; before: string }): Try[] {
  const { headers, body } = asSent(call);
  const attempt = (
    name: string,
    verdict: Verdict,
    change: { secret?: string; headers?: Record<string, string>; body?: string } = {},
  ): Try => ({
    name,
    secret: change.secret ?? now,
    headers: { ...headers, ...change.headers },
    raw: Buffer.from(change.body ?? body).toString('base64'),
    ...verdict,
  });
  const yes: Verdict = { fits: true, fits_body: true };
  const no: Verdict = { fits: false, fits_body: false };
  const bodyAlone: Verdict = { fits: false, fits_body: true };
  const later = String(Number(headers['webhook-timestamp']) + 1);
  const signedAgo = (seconds: number): Record<string, string> => {
    const at = new Date(Date.now() - seconds * 1_000);
    const signed = signedRequest({ secrets: [now], eventId: headers['webhook-id'] ?? '', body, now: at });
    return Object.fromEntries(Object.entries(signed.headers).map(([name, value]) => [name.toLowerCase(), value]));
  };
  const [first = '', second = ''] = headers['webhook-signature']?.split(' ') ?? [];
  return [
    attempt('as it was sent', yes),
    attempt('with the secret of before the rotation', { fits: true, fits_body: false }, { secret: before }),
    attempt('with the secret of somebody else', no, { secret: newWebhookSecret() }),
    attempt('with the signature of the old secret alone', bodyAlone, { headers: { 'webhook-signature': second } }),
    attempt('with signatures in the other order', yes, { headers: { 'webhook-signature': `${second} ${first}` } }),
    attempt('with a signature of a version that nobody knows', bodyAlone, {
      headers: { 'webhook-signature': first.replace('v1,', 'v2,') },
    }),
    attempt('with one more byte', no, { body: `${body} ` }),
    attempt('parsed and written again', no, { body: JSON.stringify(JSON.parse(body), null, 1) }),
    attempt('under another id', bodyAlone, { headers: { 'webhook-id': 'evt_other' } }),
    attempt('at another time', bodyAlone, { headers: { 'webhook-timestamp': later } }),
    attempt('signed six minutes ago', bodyAlone, { headers: signedAgo(360) }),
    attempt('signed four minutes ago', yes, { headers: signedAgo(240) }),
    attempt('signed six minutes from now', bodyAlone, { headers: signedAgo(-360) }),
    attempt('at a time that is none', bodyAlone, { headers: { 'webhook-timestamp': '1e9' } }),
    attempt('without signatures', no, { headers: { 'webhook-signature': '', 'x-service-signature': '' } }),
    attempt('with signatures that are none', no, {
      headers: { 'webhook-signature': 'v1,é v1,', 'x-service-signature': 'zz' },
    }),
  ];
}
