import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { mailgunFields } from '../../../src/inbound/providers/mailgun-fields.ts';
import type { MailgunFields } from '../../../src/inbound/providers/schemes.ts';
import { verifySignature } from '../../../src/inbound/providers/verify-signature.ts';

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const BEFORE = `whsec_${Buffer.alloc(32, 8).toString('base64')}`;
const STRANGER = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const NOW = new Date('2026-11-22T12:00:00Z');
const BODY = Buffer.from('{"event_id":"e1","text":"Grüße, 世界"}');

type Headers = Record<string, string | string[]>;
interface Request {
  provider: 'mail_provider' | 'generic';
  headers: Headers;
  body: Buffer;
  mailgun: MailgunFields | null;
  secrets: readonly [string, ...string[]];
}

const verify = ({
  provider = 'generic',
  headers = {},
  body = BODY,
  mailgun = null,
  secrets = [SECRET],
}: Partial<Request>) =>
  verifySignature({
    provider,
    headers: Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, [values].flat()])),
    body,
    mailgun: () => mailgun,
    secrets,
    now: NOW,
  });

const secondsAway = (seconds: number): string => String(NOW.getTime() / 1_000 + seconds);
const hex = (secret = SECRET, body = BODY): string => createHmac('sha256', secret).update(body).digest('hex');

interface Standard {
  secret?: string;
  id?: string;
  timestamp?: string;
  body?: Buffer;
}
const signatureOf = ({
  secret = SECRET,
  id = 'msg_1',
  timestamp = secondsAway(0),
  body = BODY,
}: Standard = {}): string =>
  `v1,${createHmac('sha256', Buffer.from(secret.slice(6), 'base64'))
    .update(`${id}.${timestamp}.`)
    .update(body)
    .digest('base64')}`;
const trio = (signed: Standard = {}, prefix = 'webhook'): Record<string, string> => ({
  [`${prefix}-id`]: signed.id ?? 'msg_1',
  [`${prefix}-timestamp`]: signed.timestamp ?? secondsAway(0),
  [`${prefix}-signature`]: signatureOf(signed),
});

const mailgun = ({ secret = SECRET, timestamp = secondsAway(0), token = 'a'.repeat(50) } = {}): MailgunFields => ({
  timestamp,
  token,
  signature: createHmac('sha256', secret)
    .update(timestamp + token)
    .digest('hex'),
});

const standard = { ok: true, scheme: 'standard_webhooks', signedId: 'msg_1', token: null, bodyAuthenticated: true };
const byHex = { ok: true, scheme: 'hex', signedId: null, token: null, bodyAuthenticated: true };
const byMailgun = { ok: true, scheme: 'mailgun', signedId: null, token: 'a'.repeat(50), bodyAuthenticated: false };
const refused = { ok: false };

describe('A signature of Standard Webhooks', () => {
  const good: [string, Partial<Request>][] = [
    ['fits', { headers: trio() }],
    ['fits a mail provider too', { provider: 'mail_provider', headers: trio() }],
    ['fits under the names of Svix at a mail provider', { provider: 'mail_provider', headers: trio({}, 'svix') }],
    ['fits with the secret before', { headers: trio({ secret: BEFORE }), secrets: [SECRET, BEFORE] }],
    ['fits with an empty body', { headers: trio({ body: Buffer.alloc(0) }), body: Buffer.alloc(0) }],
    ['fits 300 seconds after it was made', { headers: trio({ timestamp: secondsAway(-300) }) }],
    ['fits 300 seconds ahead', { headers: trio({ timestamp: secondsAway(300) }) }],
    [
      'fits as one of several',
      {
        headers: {
          ...trio(),
          'webhook-signature': `v1a,xyz v1, v1,short= ${signatureOf({ secret: STRANGER })} ${signatureOf()} v2,x`,
        },
      },
    ],
    ['decides before a hex signature', { headers: { ...trio(), 'x-service-signature': 'f'.repeat(64) } }],
  ];
  for (const [title, request] of good)
    it(title, () => {
      assert.deepEqual(verify(request), standard);
    });

  it('fits as the library of Standard Webhooks makes it', () => {
    const text = BODY.toString();
    const headers = { ...trio(), 'webhook-signature': new Webhook(SECRET).sign('msg_1', NOW, text) };
    assert.deepEqual(verify({ headers }), standard);
  });

  const bad: [string, Partial<Request>][] = [
    ['of another secret', { headers: trio({ secret: STRANGER }) }],
    ['of a secret that counts no more', { headers: trio({ secret: BEFORE }) }],
    ['of another body', { headers: trio(), body: Buffer.from(JSON.stringify(JSON.parse(BODY.toString()), null, 1)) }],
    ['of another id', { headers: { ...trio(), 'webhook-id': 'msg_2' } }],
    ['of another time', { headers: { ...trio(), 'webhook-timestamp': secondsAway(1) } }],
    ['that is 301 seconds old', { headers: trio({ timestamp: secondsAway(-301) }) }],
    ['that is 301 seconds ahead', { headers: trio({ timestamp: secondsAway(301) }) }],
    ['with milliseconds for a time', { headers: trio({ timestamp: String(NOW.getTime()) }) }],
    ['with a time that begins with 0', { headers: trio({ timestamp: `0${secondsAway(0)}` }) }],
    ['with a time that has a sign', { headers: trio({ timestamp: `+${secondsAway(0)}` }) }],
    ['with a fraction of a second', { headers: trio({ timestamp: `${secondsAway(0)}.5` }) }],
    ['with a time in hex', { headers: trio({ timestamp: `0x${(NOW.getTime() / 1_000).toString(16)}` }) }],
    ['without a time', { headers: trio({ timestamp: '' }) }],
    ['with an empty id', { headers: trio({ id: '' }) }],
    ['with a full stop in the id', { headers: trio({ id: 'msg.1' }) }],
    ['that is empty', { headers: { ...trio(), 'webhook-signature': '' } }],
    ['without its version', { headers: { ...trio(), 'webhook-signature': signatureOf().slice(3) } }],
    ['of another version', { headers: { ...trio(), 'webhook-signature': signatureOf().replace('v1,', 'v2,') } }],
    ['of an asymmetric version', { headers: { ...trio(), 'webhook-signature': signatureOf().replace('v1,', 'v1a,') } }],
    ['without its padding', { headers: { ...trio(), 'webhook-signature': signatureOf().slice(0, -1) } }],
    ['that is longer', { headers: { ...trio(), 'webhook-signature': `v1,AAAA${signatureOf().slice(3)}` } }],
    ['with something behind it', { headers: { ...trio(), 'webhook-signature': `${signatureOf()}AAAA` } }],
    ['in hex', { headers: { ...trio(), 'webhook-signature': `v1,${hex()}` } }],
    ['in lower case', { headers: { ...trio(), 'webhook-signature': signatureOf().toLowerCase() } }],
    [
      'keyed with the whole text of the secret',
      {
        headers: {
          ...trio(),
          'webhook-signature': `v1,${createHmac('sha256', SECRET)
            .update(`msg_1.${secondsAway(0)}.`)
            .update(BODY)
            .digest('base64')}`,
        },
      },
    ],
    ['under the names of Svix at a generic provider', { headers: trio({}, 'svix') }],
    [
      'under names of both kinds',
      {
        provider: 'mail_provider',
        headers: { 'svix-id': 'msg_1', 'svix-timestamp': secondsAway(0), 'webhook-signature': signatureOf() },
      },
    ],
    [
      'that does not fit beside a hex signature that does',
      {
        headers: { ...trio({ secret: STRANGER }), 'x-service-signature': hex() },
      },
    ],
    [
      'that is too old beside a hex signature that fits',
      {
        headers: { ...trio({ timestamp: secondsAway(-301) }), 'x-service-signature': hex() },
      },
    ],
  ];
  for (const [title, request] of bad)
    it(`is refused ${title}`, () => {
      assert.deepEqual(verify(request), refused);
    });

  for (const name of Object.keys(trio()))
    for (const prefix of ['webhook', 'svix'])
      it(`is refused without ${prefix}${name.slice(7)}, and where it comes twice`, () => {
        const headers: Headers = trio({}, prefix);
        const full = `${prefix}${name.slice(7)}`;
        const value = headers[full] as string;
        assert.deepEqual(verify({ provider: 'mail_provider', headers }), standard);
        headers[full] = [value, value];
        assert.deepEqual(verify({ provider: 'mail_provider', headers }), refused);
        delete headers[full];
        assert.deepEqual(verify({ provider: 'mail_provider', headers }), refused);
      });

  it('moves nothing of a body into an id', () => {
    const later = secondsAway(10);
    const signed = trio({ body: Buffer.from(`${later}.{}`) });
    const moved = { ...signed, 'webhook-id': `msg_1.${secondsAway(0)}`, 'webhook-timestamp': later };
    assert.deepEqual(verify({ headers: signed, body: Buffer.from(`${later}.{}`) }), standard);
    assert.deepEqual(verify({ headers: moved, body: Buffer.from('{}') }), refused);
  });
});

describe('A signature in hex', () => {
  for (const name of ['x-service-signature', 'x-signature', 'x-hub-signature-256']) {
    const good: [string, Partial<Request>][] = [
      ['fits', { headers: { [name]: hex() } }],
      ['fits a mail provider too', { provider: 'mail_provider', headers: { [name]: hex() } }],
      ['fits behind sha256=', { headers: { [name]: `sha256=${hex()}` } }],
      ['fits in upper case', { headers: { [name]: hex().toUpperCase() } }],
      ['fits with the secret before', { headers: { [name]: hex(BEFORE) }, secrets: [SECRET, BEFORE] }],
      ['fits with an empty body', { headers: { [name]: hex(SECRET, Buffer.alloc(0)) }, body: Buffer.alloc(0) }],
      [
        'decides before the fields of Mailgun',
        {
          provider: 'mail_provider',
          headers: { [name]: hex() },
          mailgun: mailgun(),
        },
      ],
    ];
    for (const [title, request] of good)
      it(`${title} (${name})`, () => {
        assert.deepEqual(verify(request), byHex);
      });

    const bad: [string, Partial<Request>][] = [
      ['of another secret', { headers: { [name]: hex(STRANGER) } }],
      ['of a secret that counts no more', { headers: { [name]: hex(BEFORE) } }],
      ['of another body', { headers: { [name]: hex() }, body: Buffer.concat([BODY, Buffer.from(' ')]) }],
      ['that is empty', { headers: { [name]: '' } }],
      ['that is only sha256=', { headers: { [name]: 'sha256=' } }],
      ['of another algorithm', { headers: { [name]: `sha1=${hex()}` } }],
      ['with SHA256= in upper case', { headers: { [name]: `SHA256=${hex()}` } }],
      ['with sha256= twice', { headers: { [name]: `sha256=sha256=${hex()}` } }],
      ['that is shorter', { headers: { [name]: hex().slice(1) } }],
      ['that is longer', { headers: { [name]: `${hex()}0` } }],
      ['that is a part of it', { headers: { [name]: hex().slice(0, 2) } }],
      ['with what is no hex', { headers: { [name]: `${hex().slice(0, 62)}zz` } }],
      ['in base64', { headers: { [name]: createHmac('sha256', SECRET).update(BODY).digest('base64') } }],
      ['that comes twice', { headers: { [name]: [hex(), hex()] } }],
      ['joined from two', { headers: { [name]: `${hex()}, ${hex()}` } }],
      [
        'keyed with the bytes behind whsec_',
        {
          headers: { [name]: createHmac('sha256', Buffer.alloc(32, 7)).update(BODY).digest('hex') },
        },
      ],
      [
        'that does not fit beside fields of Mailgun that do',
        {
          provider: 'mail_provider',
          headers: { [name]: hex(STRANGER) },
          mailgun: mailgun(),
        },
      ],
    ];
    for (const [title, request] of bad)
      it(`is refused ${title} (${name})`, () => {
        assert.deepEqual(verify(request), refused);
      });
  }

  it('is looked for in X-Service-Signature first, and what stands there decides', () => {
    const headers = { 'x-hub-signature-256': hex(), 'x-signature': hex(), 'x-service-signature': hex(STRANGER) };
    assert.deepEqual(verify({ headers }), refused);
    assert.deepEqual(verify({ headers: { ...headers, 'x-service-signature': hex(), 'x-signature': 'no' } }), byHex);
  });
});

describe('A signature of Mailgun', () => {
  const provider = 'mail_provider';
  const good: [string, Partial<Request>][] = [
    ['fits, whatever the body is', { provider, mailgun: mailgun(), body: Buffer.from('anything') }],
    ['fits with the secret before', { provider, mailgun: mailgun({ secret: BEFORE }), secrets: [SECRET, BEFORE] }],
    ['fits 300 seconds after it was made', { provider, mailgun: mailgun({ timestamp: secondsAway(-300) }) }],
    ['fits 300 seconds ahead', { provider, mailgun: mailgun({ timestamp: secondsAway(300) }) }],
    ['fits in upper case', { provider, mailgun: { ...mailgun(), signature: mailgun().signature.toUpperCase() } }],
  ];
  for (const [title, request] of good)
    it(title, () => {
      assert.deepEqual(verify(request), byMailgun);
    });

  const bad: [string, Partial<Request>][] = [
    ['at a generic provider', { mailgun: mailgun() }],
    ['of another secret', { provider, mailgun: mailgun({ secret: STRANGER }) }],
    ['of a secret that counts no more', { provider, mailgun: mailgun({ secret: BEFORE }) }],
    ['of another token', { provider, mailgun: { ...mailgun(), token: 'b'.repeat(50) } }],
    ['of another time', { provider, mailgun: { ...mailgun(), timestamp: secondsAway(1) } }],
    ['with an empty token', { provider, mailgun: mailgun({ token: '' }) }],
    ['with an empty time', { provider, mailgun: mailgun({ timestamp: '' }) }],
    [
      'with a digit of the time moved into the token',
      {
        provider,
        mailgun: {
          ...mailgun(),
          timestamp: secondsAway(0).slice(0, -1),
          token: `${secondsAway(0).slice(-1)}${'a'.repeat(50)}`,
        },
      },
    ],
    ['that is 301 seconds old', { provider, mailgun: mailgun({ timestamp: secondsAway(-301) }) }],
    ['that is 301 seconds ahead', { provider, mailgun: mailgun({ timestamp: secondsAway(301) }) }],
    ['that is empty', { provider, mailgun: { ...mailgun(), signature: '' } }],
    ['that is shorter', { provider, mailgun: { ...mailgun(), signature: mailgun().signature.slice(2) } }],
    ['that is longer', { provider, mailgun: { ...mailgun(), signature: `${mailgun().signature}00` } }],
    ['behind sha256=', { provider, mailgun: { ...mailgun(), signature: `sha256=${mailgun().signature}` } }],
  ];
  for (const [title, request] of bad)
    it(`is refused ${title}`, () => {
      assert.deepEqual(verify(request), refused);
    });

  const fieldsIn = (body: string, contentType = 'application/json'): MailgunFields | null =>
    mailgunFields(contentType, Buffer.from(body));

  it('is taken from the member `signature` of JSON', () => {
    assert.deepEqual(fieldsIn(JSON.stringify({ signature: mailgun(), 'event-data': { id: 'x' } })), mailgun());
  });

  it('is taken from the fields of a form', () => {
    const form = new URLSearchParams({ ...mailgun(), 'body-plain': 'x' }).toString();
    assert.deepEqual(fieldsIn(form, 'application/x-www-form-urlencoded'), mailgun());
  });

  const shapes: unknown[] = [
    null,
    'text',
    7,
    [],
    {},
    { signature: null },
    { signature: 'f'.repeat(64) },
    { signature: { ...mailgun(), token: 7 } },
    { signature: { ...mailgun(), timestamp: undefined }, timestamp: secondsAway(0) },
    { ...mailgun(), token: ['a'] },
  ];
  for (const shape of shapes)
    it(`is not found in ${JSON.stringify(shape)}`, () => {
      assert.equal(fieldsIn(JSON.stringify(shape)), null);
    });
});

describe('A secret without whsec_', () => {
  const OWN = 'key-0123456789abcdef0123456789abcdef';
  const provider = 'mail_provider';

  it('keys hex signatures and those of Mailgun by its whole text', () => {
    assert.deepEqual(verify({ headers: { 'x-service-signature': hex(OWN) }, secrets: [OWN] }), byHex);
    assert.deepEqual(verify({ provider, mailgun: mailgun({ secret: OWN }), secrets: [OWN] }), byMailgun);
  });

  it('fits no signature of Standard Webhooks, no matter which part of it is the key', () => {
    const keys = [
      Buffer.from(OWN),
      Buffer.from(OWN, 'base64'),
      Buffer.from(OWN.slice(6)),
      Buffer.from(OWN.slice(6), 'base64'),
      Buffer.alloc(0),
      Buffer.alloc(32),
    ];
    for (const key of keys) {
      const headers = trio({ secret: `whsec_${key.toString('base64')}` });
      assert.deepEqual(verify({ headers, secrets: [OWN] }), refused);
    }
  });

  it('leaves the day of a secret before it, and the other way round', () => {
    assert.deepEqual(verify({ headers: trio(), secrets: [OWN, SECRET] }), standard);
    assert.deepEqual(verify({ provider, mailgun: mailgun({ secret: OWN }), secrets: [SECRET, OWN] }), byMailgun);
  });
});

describe('A request without a signature', () => {
  const bare: [string, Partial<Request>][] = [
    ['has no header', {}],
    [
      'has the id and the time of Standard Webhooks alone',
      { headers: { 'webhook-id': 'msg_1', 'webhook-timestamp': secondsAway(0) } },
    ],
    [
      'has a signature of SHA-1',
      { headers: { 'x-hub-signature': createHmac('sha1', SECRET).update(BODY).digest('hex') } },
    ],
    ['has the secret as a bearer token', { headers: { authorization: `Bearer ${SECRET}` } }],
  ];
  for (const [title, request] of bare)
    for (const provider of ['mail_provider', 'generic'] as const)
      it(`is refused where it ${title} (${provider})`, () => {
        assert.deepEqual(verify({ ...request, provider }), refused);
      });
});
