import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { signWebhook, verifyWebhook, WebhookRefused } from '../../sdk/typescript/src/index.ts';

const secret = `whsec_${randomBytes(24).toString('base64')}`;
const other = `whsec_${randomBytes(24).toString('base64')}`;
const body = JSON.stringify({
  event_type: 'passport.flagged',
  severity: 'critical',
  payload: { jti: 'psp_1' },
  timestamp: '2026-11-22T12:00:00.000Z',
});
const now = Math.floor(Date.now() / 1_000);
const headersOf = (more: Record<string, string> = {}) => ({
  'webhook-id': 'evt_1',
  'webhook-timestamp': String(now),
  'webhook-signature': new Webhook(secret).sign('evt_1', new Date(now * 1_000), body),
  ...more,
});

describe('verifyWebhook of the SDK in TypeScript', () => {
  it('reads an event that is signed, from headers of either kind', () => {
    const event = verifyWebhook(headersOf(), body, secret);
    assert.deepEqual([event.id, event.event_type], ['evt_1', 'passport.flagged']);
    assert.equal(verifyWebhook(new Headers(headersOf()), Buffer.from(body), secret).id, 'evt_1');
  });

  it('takes one of several signatures, as after a rotation', () => {
    const both = `${signWebhook({ id: 'evt_1', sentAt: now, body, secret: other })} ${headersOf()['webhook-signature']}`;
    for (const key of [secret, other])
      assert.equal(verifyWebhook(headersOf({ 'webhook-signature': both }), body, key).id, 'evt_1');
  });

  const wrong: Record<string, [Record<string, string>, string?, string?]> = {
    'another secret': [{}, body, other],
    'another body': [{}, `${body} `],
    'another id': [{ 'webhook-id': 'evt_2' }],
    'no id': [{ 'webhook-id': '' }],
    'no time': [{ 'webhook-timestamp': '' }],
    'a time that is none': [{ 'webhook-timestamp': '1e9' }],
    'no signature': [{ 'webhook-signature': '' }],
    'a signature of another length': [{ 'webhook-signature': 'v1,AA==' }],
    'an old request': [
      {
        'webhook-timestamp': String(now - 400),
        'webhook-signature': signWebhook({ id: 'evt_1', sentAt: now - 400, body, secret }),
      },
    ],
    'a request of a time to come': [
      {
        'webhook-timestamp': String(now + 400),
        'webhook-signature': signWebhook({ id: 'evt_1', sentAt: now + 400, body, secret }),
      },
    ],
  };
  for (const [what, [headers, sent = body, key = secret]] of Object.entries(wrong))
    it(`refuses ${what}`, () => {
      assert.throws(() => verifyWebhook(headersOf(headers), sent, key), WebhookRefused);
    });
});
