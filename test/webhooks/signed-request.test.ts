import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { signedRequest } from '../../src/webhooks/signed-request.ts';

// The libraries of Standard Webhooks are each tested with it.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const SIGNED = {
  secrets: [SECRET],
  eventId: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  body: '{"test": 2432232314}',
  now: new Date(1_614_265_330_000),
} as const;

describe('A signed request', () => {
  it('has the Standard Webhooks signature of their own example', () => {
    const { headers, body } = signedRequest(SIGNED);
    assert.equal(headers['webhook-id'], 'msg_p5jXN8AQM9LWM0D4loKWxJek');
    assert.equal(headers['webhook-timestamp'], '1614265330');
    assert.equal(headers['webhook-signature'], 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
    assert.equal(body, SIGNED.body);
  });

  it('has X-Service-Signature over the body alone, keyed with the whole text of the secret', () => {
    const body = '{"text":"Grüße, 世界"}';
    const expected = createHmac('sha256', Buffer.from(SECRET, 'utf8')).update(Buffer.from(body, 'utf8')).digest('hex');
    assert.equal(signedRequest({ ...SIGNED, body }).headers['X-Service-Signature'], expected);
    assert.match(expected, /^[0-9a-f]{64}$/);
  });

  it('after a rotation has both secrets in webhook-signature, and the new one alone in X-Service-Signature', () => {
    const fresh = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const alone = (secret: string) => signedRequest({ ...SIGNED, secrets: [secret] }).headers;
    const { headers } = signedRequest({ ...SIGNED, secrets: [fresh, SECRET] });
    assert.equal(
      headers['webhook-signature'],
      `${alone(fresh)['webhook-signature']} ${alone(SECRET)['webhook-signature']}`,
    );
    assert.equal(headers['X-Service-Signature'], alone(fresh)['X-Service-Signature']);
  });
});
