import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { vkeyOf, type SignatureType } from '../../src/fields/verifier-key.ts';
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

  describe('which models there are', () => {
    const model = { model: 'm/1', input_microcents: 25, cached_microcents: 2.5, output_microcents: 200 };
    const provider = {
      slug: 'one',
      kind: 'openai',
      base_url: 'https://models.example/v1/',
      api_key: 'sk-secret',
      models: [model],
    };
    const read = (providers: unknown, L3_MODEL = '') =>
      readSettings({ LLM_PROVIDERS: typeof providers === 'string' ? providers : JSON.stringify(providers), L3_MODEL });
    const faultOf = (providers: unknown, l3Model = ''): string => {
      try {
        read(providers, l3Model);
      } catch (error) {
        if (error instanceof ConfigFault) return error.message;
      }
      return assert.fail('it is a fault');
    };

    it('none, and none is asked', () => {
      assert.deepEqual([embedded({}).modelProviders, embedded({}).l3Model], [[], undefined]);
    });

    it('those of LLM_PROVIDERS, with prices in picocents, and the one that classifies', () => {
      const { modelProviders, l3Model } = embedded({ LLM_PROVIDERS: JSON.stringify([provider]), L3_MODEL: 'one/m/1' });
      assert.deepEqual(modelProviders, [
        {
          slug: 'one',
          kind: 'openai',
          baseUrl: 'https://models.example/v1',
          apiKey: 'sk-secret',
          models: new Map([['m/1', { input: 25_000_000, cached: 2_500_000, output: 200_000_000 }]]),
        },
      ]);
      assert.deepEqual(l3Model, { provider: 'one', model: 'm/1' });
    });

    for (const [what, providers, fault] of [
      ['no JSON', '[{sk-secret', /must be a JSON list of providers/],
      ['a member twice', '[{"slug": "a", "slug": "b"}]', /must be a JSON list of providers/],
      ['no list', provider, /must be a list/],
      ['no slug', [{ ...provider, slug: undefined }], /0\.slug: must be a text/],
      ['a slug with a slash', [{ ...provider, slug: 'a/b' }], /0\.slug: must be 1 to 63/],
      ['a slug twice', [provider, provider], /has the slug one twice/],
      ['another kind', [{ ...provider, kind: 'sk-secret' }], /0\.kind: must be openai or anthropic/],
      ['no address', [{ ...provider, base_url: 'models.example' }], /0\.base_url: must be a URL/],
      [
        'a key in the address',
        [{ ...provider, base_url: 'https://sk-secret@models.example' }],
        /0\.base_url: must be a URL/,
      ],
      ['a key with a line break', [{ ...provider, api_key: 'sk-secret\n' }], /0\.api_key: must be/],
      ['no model', [{ ...provider, models: [] }], /0\.models: must name a model/],
      ['a model twice', [{ ...provider, models: [model, model] }], /has the model m\/1 twice in one/],
      [
        'no price of output',
        [{ ...provider, models: [{ ...model, output_microcents: undefined }] }],
        /output_microcents: must be a number/,
      ],
      [
        'no price of cached input',
        [{ ...provider, models: [{ ...model, cached_microcents: undefined }] }],
        /cached_microcents: must be a number/,
      ],
      [
        'a price below nothing',
        [{ ...provider, models: [{ ...model, input_microcents: -1 }] }],
        /must not be less than 0/,
      ],
      [
        'a price of seven decimals',
        [{ ...provider, models: [{ ...model, input_microcents: 0.123_456_7 }] }],
        /six decimals/,
      ],
      ['a member of no meaning', [{ ...provider, 'sk-secret': 1 }], /0: has a member that is none/],
    ] as [string, unknown, RegExp][]) {
      it(`not with ${what}; the fault names LLM_PROVIDERS, and no key`, () => {
        const text = faultOf(providers);
        assert.match(text, /LLM_PROVIDERS /);
        assert.match(text, fault);
        assert(!text.includes('sk-secret'));
      });
    }

    for (const [what, providers, name] of [
      ['a provider that there is not', [provider], 'two/m/1'],
      ['a model that it does not have', [provider], 'one/m/2'],
      ['one, and there are no providers', '', 'one/m/1'],
      ['no provider', [provider], 'm'],
    ] as const)
      it(`none to classify, where L3_MODEL names ${what}`, () => {
        assert.match(faultOf(providers, name), /^The settings are not valid: L3_MODEL must .* \(it is /);
      });
  });

  describe('whose signatures are known', () => {
    const vkey = (type: SignatureType, name = 'w.example'): string =>
      vkeyOf(name, generateKeyPairSync('ed25519').publicKey, type);
    const [plain, cosigner] = [vkey(0x01), vkey(0x04)];

    it('no others’, unless a setting names their keys', () => {
      const { witnessKeys, witnessPolicy, registryKeys } = embedded({});
      assert.deepEqual([witnessKeys, witnessPolicy, registryKeys], [[], undefined, []]);
    });

    it('witnesses and registries, by verifier keys of the type that they sign with', () => {
      const second = vkey(0x04, 'second.example');
      const { witnessKeys, registryKeys } = embedded({ WITNESS_KEYS: `${cosigner}, ${second}`, REGISTRY_KEYS: plain });
      assert.deepEqual(
        witnessKeys.map(({ name }) => name),
        ['w.example', 'second.example'],
      );
      assert.deepEqual(
        registryKeys.map(({ vkey: kept }) => kept),
        [plain],
      );
      for (const [setting, value] of [
        ['WITNESS_KEYS', plain],
        ['REGISTRY_KEYS', cosigner],
        ['WITNESS_KEYS', `${cosigner},`],
        ['WITNESS_KEYS', cosigner.slice(1)],
      ] as const) {
        assert.throws(
          () => readSettings({ [setting]: value }),
          (error) => error instanceof ConfigFault && error.message.includes(`${setting} must be verifier keys`),
        );
      }
    });

    it('witnesses of a policy, whose faults are named by their lines', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'carnet-policy-'));
      try {
        const path = join(folder, 'policy');
        await writeFile(path, `witness a ${cosigner} https://w.example\nquorum a\n`);
        assert.deepEqual(
          embedded({ WITNESS_POLICY: path }).witnessPolicy?.witnesses.map(({ url }) => url),
          ['https://w.example'],
        );
        const uncalled: [string, RegExp][] = [
          [
            'http://w.example',
            /WITNESS_POLICY must name .* Line 2: The URL must begin with https:.*OUTBOUND_ALLOW_LOOPBACK/,
          ],
          ['https://w.example:8080', /Line 2: The port must be 443 or 8443/],
          ['https://10.0.0.1', /Line 2: The host must lead to public addresses/],
        ];
        for (const [address, fault] of uncalled) {
          await writeFile(path, `quorum none\nwitness a ${cosigner} ${address}\n`);
          assert.throws(() => readSettings({ WITNESS_POLICY: path }), fault);
        }
        await writeFile(path, `witness a ${cosigner} http://127.0.0.1:7100\nquorum a\n`);
        const [witness] =
          embedded({ WITNESS_POLICY: path, OUTBOUND_ALLOW_LOOPBACK: 'true' }).witnessPolicy?.witnesses ?? [];
        assert.equal(witness?.url, 'http://127.0.0.1:7100');
        await writeFile(path, `witness a ${plain}\nquorum a\n`);
        assert.throws(
          () => readSettings({ WITNESS_POLICY: path }),
          /WITNESS_POLICY must be the path of a trust policy .*Line 1 has a key that makes no cosignatures/,
        );
        assert.throws(() => readSettings({ WITNESS_POLICY: join(folder, 'none') }), /The file cannot be read/);
      } finally {
        await rm(folder, { recursive: true });
      }
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
