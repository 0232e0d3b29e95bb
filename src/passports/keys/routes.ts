import { z } from 'zod';
import { route, type AnyRoute } from '../../http/route.ts';
import { jwks, JwksSchema } from './jwks.ts';
import { RotateBodySchema, rotateSigningKeys, SigningKeysSchema } from './rotate.ts';
import { statusList, StatusListTokenSchema } from './status-list.ts';

export const getJwks = route({
  method: 'get',
  path: '/v1/.well-known/jwks.json',
  alias: '/.well-known/jwks.json',
  operation: 'getJwks',
  tag: 'passports',
  summary: 'Show the public keys of passports',
  description: 'A JWKS (RFC 7517), for verifying offline. Also at `/.well-known/jwks.json`.',
  audience: 'public',
  anyOrigin: true,
  cache: 'public, max-age=300',
  status: 200,
  reply: JwksSchema,
  handler: async ({ context }) => ({ status: 200, body: await jwks(context) }),
});

const statusListOf = {
  method: 'get',
  tag: 'passports',
  audience: 'public',
  anyOrigin: true,
  cache: 'public, max-age=60',
  mediaType: 'application/statuslist+jwt',
  status: 200,
  reply: StatusListTokenSchema,
} as const;

const getStatusList = route({
  ...statusListOf,
  path: '/v1/passports/status-list',
  operation: 'getStatusList',
  summary: 'Show which passports of today are revoked',
  description:
    'A signed Token Status List (IETF draft): one bit a passport, for verifying offline. ' +
    'A passport names the list of its day and its bit in `status.status_list`.',
  handler: async ({ context }) => ({ status: 200, body: await statusList(context, null) }),
});

const getStatusListOfDay = route({
  ...statusListOf,
  path: '/v1/passports/status-list/:day',
  operation: 'getStatusListOfDay',
  summary: 'Show which passports of a day are revoked',
  description:
    'A signed list (Token Status List) for who verifies offline. A passport names the list of its day and its bit in `status.status_list`.',
  // Postgres has no year 0.
  params: z.object({ day: z.iso.date().refine((day) => !day.startsWith('0000')) }),
  refusals: ['NOT_FOUND'],
  handler: async ({ context, params: { day } }) => ({ status: 200, body: await statusList(context, day) }),
});

export const postRotate = route({
  method: 'post',
  path: '/v1/admin/signing-keys/rotate',
  operation: 'rotateSigningKeys',
  tag: 'platform',
  summary: 'Sign passports with the next key from now on',
  description:
    'The previous key retires: its passports count until they expire. ' +
    'For keys that leaked, `immediate` withdraws the active one instead, `kids` those that are named, and `all` every key: ' +
    'the passports that they signed are revoked, and refused at the next verify.',
  audience: 'platform',
  body: RotateBodySchema,
  example: { immediate: false },
  status: 200,
  reply: SigningKeysSchema,
  handler: ({ context, call, body }) => rotateSigningKeys(context, call, body),
});

export const keyRoutes: AnyRoute[] = [getJwks, getStatusList, getStatusListOfDay, postRotate];
