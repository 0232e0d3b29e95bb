import { randomBytes, verify } from 'node:crypto';
import { createEncryption } from '../../src/context/encryption.ts';
import { newId } from '../../src/ids/ids.ts';
import { newSigningKey, SigningKey } from '../../src/passports/keys/signing-key.ts';
import { KeyRing } from '../../src/passports/keys/signing-keys.ts';
import { PASSPORT_CLAIM } from '../../src/passports/token.ts';
import { verifyToken } from '../../src/passports/verifying/verify-token.ts';
import { answering, ready } from './child.ts';

/** Verifies distinct tokens in this process: as the service does before its query, or with node:crypto alone. */

const ISSUER = 'https://carnet.example.test';
const TOKENS = 2_000;

const encryption = createEncryption([randomBytes(32)]);
const { kid, x, privateKey } = newSigningKey(encryption);
const key = new SigningKey({ kid, x, private_key: privateKey, status: 'active', counts: true }, encryption);
const ring = new KeyRing([key]);

const tokens = Array.from({ length: TOKENS }, () => {
  const [agentId, iat] = [newId('ag'), Math.floor(Date.now() / 1_000)];
  return key.sign(
    JSON.stringify({
      iss: ISSUER,
      sub: agentId,
      iat,
      exp: iat + 900,
      jti: newId('psp'),
      [PASSPORT_CLAIM]: {
        operator_id: newId('op'),
        agent_id: agentId,
        agent_name: 'bench',
        services: [
          {
            service_id: 'github',
            service_name: 'github',
            scopes: ['repo:read', 'repo:write'],
            credential_ref: null,
            connection_id: newId('con'),
            allow_data_from: [],
            constraints: [{ param: 'repository', op: 'prefix', value: 'ada/' }],
          },
        ],
        identity_claims: [],
        authority_refs: [],
        delegation_depth: 0,
        session_id: newId('ses'),
        accountability: 'standard',
        mission_ids: [],
        chain: [],
      },
      status: { status_list: { idx: 1, uri: `${ISSUER}/v1/passports/status-list/2026-11-21` } },
    }),
  );
});
const signed = tokens.map((token) => {
  const dot = token.lastIndexOf('.');
  return { input: Buffer.from(token.slice(0, dot)), signature: Buffer.from(token.slice(dot + 1), 'base64url') };
});

const sides = {
  carnet: async (at: number): Promise<boolean> =>
    'payload' in (await verifyToken(tokens[at] ?? '', { keys: ring, issuer: ISSUER })),
  'node:crypto': (at: number): boolean => {
    const one = signed[at];
    return one !== undefined && verify(null, one.input, key.publicKey, one.signature);
  },
};

answering(async ({ side, seconds }: { side: keyof typeof sides; seconds: number }) => {
  const startedAt = performance.now();
  const until = startedAt + seconds * 1_000;
  let done = 0;
  for (; performance.now() < until; done += 1) {
    const genuine = sides[side](done % TOKENS);
    if (!(typeof genuine === 'boolean' ? genuine : await genuine)) throw new Error(`${side} refused a good token.`);
  }
  return { perSecond: (done * 1_000) / (performance.now() - startedAt), characters: tokens[0]?.length };
});
ready();
