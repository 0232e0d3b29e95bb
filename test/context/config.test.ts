import assert from 'node:assert/strict';
import { completeConfig, ConfigFault, readSettings, type Config } from '../../src/context/config.ts';

const parts = {
  databaseUrl: 'postgres://127.0.0.1:1/carnet',
  temporalAddress: '127.0.0.1:1',
  platformAdminKey: 'p'.repeat(24),
  encryptionKeys: [Buffer.alloc(32)],
};
const embedded = (settings: Record<string, string>): Config =>
  completeConfig(readSettings(settings), { ...parts, localProviders: true });
const alone = (settings: Record<string, string>): Config =>
  completeConfig(readSettings({ LOCAL_PROVIDERS: 'true', ...settings }), parts);

describe('The settings say', () => {
  describe('where an embedded instance listens', () => {
    for (const [what, settings, host] of [
      ['nothing: on this machine alone', {}, '127.0.0.1'],
      ['an address of this machine', { PUBLIC_BASE_URL: 'http://localhost:3000' }, '127.0.0.1'],
      ['an address that others reach: everywhere', { PUBLIC_BASE_URL: 'https://carnet.example' }, undefined],
      ['a host', { HOST: '0.0.0.0' }, '0.0.0.0'],
      ['a host and an address', { HOST: '127.0.0.1', PUBLIC_BASE_URL: 'https://carnet.example' }, '127.0.0.1'],
    ] as const) {
      it(what, () => assert.equal(embedded(settings).host, host));
    }
  });

  it('where the API alone listens: everywhere, unless HOST says otherwise', () => {
    assert.equal(alone({ PUBLIC_BASE_URL: 'http://127.0.0.1:3000' }).host, undefined);
    assert.equal(alone({ PUBLIC_BASE_URL: 'https://carnet.example', HOST: '192.0.2.1' }).host, '192.0.2.1');
  });

  describe('who sends SMS', () => {
    const twilio = {
      TWILIO_ACCOUNT_SID: `AC${'0'.repeat(32)}`,
      TWILIO_AUTH_TOKEN: 't'.repeat(32),
      TWILIO_FROM: '+15005550006',
    };
    const base = { PUBLIC_BASE_URL: 'https://carnet.example' };
    const faultOf = (read: () => unknown): string => {
      try {
        read();
      } catch (error) {
        if (error instanceof ConfigFault) return error.message;
      }
      return assert.fail('it is a fault');
    };

    it('the outbox keeps them in a trial, and nobody sends them elsewhere', () => {
      const mail = { SMTP_URL: 'smtp://127.0.0.1:1', MAIL_FROM: 'carnet@example.test', LOCAL_PROVIDERS: 'false' };
      assert.deepEqual(embedded({}).sms, { provider: 'outbox' });
      assert.deepEqual(alone(base).sms, { provider: 'outbox' });
      assert.equal(alone({ ...base, ...mail }).sms, undefined);
    });

    it('Twilio, with all three of its settings', () => {
      const { sms } = embedded({ ...twilio, TWILIO_API_BASE: 'http://127.0.0.1:1' });
      assert.deepEqual(sms, {
        provider: 'twilio',
        accountSid: twilio.TWILIO_ACCOUNT_SID,
        authToken: twilio.TWILIO_AUTH_TOKEN,
        from: '+15005550006',
        apiBase: 'http://127.0.0.1:1',
      });
      for (const name of ['TWILIO_ACCOUNT_SID', 'TWILIO_AUTH_TOKEN', 'TWILIO_FROM'])
        assert.match(
          faultOf(() => embedded({ ...twilio, [name]: '' })),
          new RegExp(`${name} is needed`),
        );
    });

    it('from a number, a name or a messaging service, and nothing else', () => {
      for (const from of ['+15005550006', 'Carnet', 'Carnet 24', `MG${'a'.repeat(32)}`])
        assert.equal(readSettings({ TWILIO_FROM: from }).TWILIO_FROM, from);
      for (const from of ['15005550006', 'A name that is long', 'Car-net', '+0123456789'])
        assert.match(
          faultOf(() => readSettings({ TWILIO_FROM: from })),
          /^The settings are not valid: TWILIO_FROM must be/,
        );
    });

    it('never in a fault: its token', () => {
      const text = faultOf(() => readSettings({ TWILIO_AUTH_TOKEN: 'too-short' }));
      assert.match(text, /TWILIO_AUTH_TOKEN must be/);
      assert(!text.includes('too-short'));
    });
  });

  it('how clients reach the service, which nobody can guess where its parts are not embedded', () => {
    assert.equal(embedded({ PORT: '4000' }).publicBaseUrl, 'http://127.0.0.1:4000');
    assert.equal(alone({ PUBLIC_BASE_URL: 'https://carnet.example/' }).publicBaseUrl, 'https://carnet.example');
    assert.throws(
      () => alone({}),
      (error: unknown) => error instanceof ConfigFault && /PUBLIC_BASE_URL is needed/.test(error.message),
    );
  });
});
