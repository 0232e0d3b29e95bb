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

  it('how clients reach the service, which nobody can guess where its parts are not embedded', () => {
    assert.equal(embedded({ PORT: '4000' }).publicBaseUrl, 'http://127.0.0.1:4000');
    assert.equal(alone({ PUBLIC_BASE_URL: 'https://carnet.example/' }).publicBaseUrl, 'https://carnet.example');
    assert.throws(
      () => alone({}),
      (error: unknown) => error instanceof ConfigFault && /PUBLIC_BASE_URL is needed/.test(error.message),
    );
  });
});
