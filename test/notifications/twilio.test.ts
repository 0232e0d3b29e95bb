import assert from 'node:assert/strict';
import { createTwilioTexter } from '../../activities/sms/twilio.ts';
import { createLogger } from '../../src/context/logging.ts';
import { freePort } from '../../src/embedded/ports.ts';
import { startTwilio, type TwilioDouble } from './twilio-double.ts';

const NUMBER = '+15550100123';
const TEXT = '4711 & “ünicode” + a=b;\n';

describe('SMS by Twilio', () => {
  let twilio: TwilioDouble;
  const logged: string[] = [];
  const log = createLogger('trace', { write: (line: string) => void logged.push(line) });
  beforeEach(async () => {
    twilio = await startTwilio();
  });
  afterEach(() => twilio.stop());
  const send = (settings: Partial<TwilioDouble['settings']> = {}) =>
    createTwilioTexter({ ...twilio.settings, ...settings }, log).send('vcd_1', { to: NUMBER, text: TEXT });

  it('sends number and text with the sender of the settings, once', async () => {
    assert.equal(await send(), 'sent');
    assert.deepEqual(twilio.taken, [{ To: NUMBER, From: '+15005550006', Body: TEXT }]);
    assert.equal(twilio.calls(), 1);
  });

  it('sends by a messaging service, and under a name', async () => {
    const service = `MG${'aB'.repeat(16)}`;
    assert.equal(await send({ from: service }), 'sent');
    assert.equal(await send({ from: 'MG Carnet' }), 'sent');
    assert.deepEqual(twilio.taken, [
      { To: NUMBER, MessagingServiceSid: service, Body: TEXT },
      { To: NUMBER, From: 'MG Carnet', Body: TEXT },
    ]);
  });

  for (const [what, answer, outcome] of [
    ['a number that is none', { status: 400, code: 21_211 }, 'refused'],
    ['a short code', { status: 400, code: 21_265 }, 'refused'],
    ['the number of the sender itself', { status: 400, code: 21_266 }, 'refused'],
    ['a number that wants no SMS', { status: 400, code: 21_610 }, 'refused'],
    ['a number that is no mobile one', { status: 400, code: 21_614 }, 'refused'],
    ['a landline', { status: 400, code: 21_635 }, 'refused'],
    ['a country that the account may not send to', { status: 403, code: 21_408 }, 'not_taken'],
    ['a number that a trial account has not verified', { status: 400, code: 21_608 }, 'not_taken'],
    ['a sender that cannot reach the number', { status: 400, code: 21_612 }, 'not_taken'],
    ['too many requests', { status: 429, code: 20_429 }, 'not_taken'],
    ['a sender that is none', { status: 400, code: 21_212 }, 'not_taken'],
    ['a fault of its own, after which it may send all the same', { status: 500, code: 20_500 }, 'unknown'],
    ['a gateway that gave up', { status: 504, code: 20_504 }, 'unknown'],
  ] as const) {
    it(`is ${outcome} where Twilio answers ${what}, and is tried once`, async () => {
      twilio.answer = answer;
      assert.equal(await send(), outcome);
      assert.equal(twilio.calls(), 1);
    });
  }

  it('is not taken with a token that is none, and where nobody listens', async () => {
    assert.equal(await send({ authToken: 'another-token-of-16' }), 'not_taken');
    assert.equal(await send({ apiBase: `http://127.0.0.1:${await freePort()}` }), 'not_taken');
  });

  it('is unknown where the connection breaks', async () => {
    twilio.answer = 'reset';
    assert.equal(await send(), 'unknown');
    assert.equal(twilio.calls(), 1);
  });

  it('is unknown where no answer comes, after ten seconds', async () => {
    twilio.answer = 'hang';
    const begun = performance.now();
    assert.equal(await send(), 'unknown');
    const seconds = (performance.now() - begun) / 1_000;
    assert(seconds > 9 && seconds < 25, String(seconds));
  }).timeout(30_000);

  it('logs ids and codes, and neither number, text nor token', () => {
    const lines = logged.join('');
    for (const seen of ['vcd_1', '21211', `SM${'f'.repeat(32)}`]) assert(lines.includes(seen), seen);
    for (const secret of [NUMBER, NUMBER.slice(1), '4711', twilio.settings.authToken]) assert(!lines.includes(secret));
  });
});
