import { z } from 'zod';
import { DeletedSchema } from '../http/deleted.ts';
import { offsetAnswer, offsetList, offsetQuery } from '../http/lists/pagination.ts';
import { route, type AnyRoute } from '../http/route.ts';
import { pageOfCredentials, readCredential, removeCredential, setCredential } from './credentials.ts';
import { CredentialSchema, PutCredentialSchema } from './schema.ts';

const path = '/v1/credentials/:provider';
const params = z.object({ provider: z.string() });
const tag = 'credentials';

export const putCredential = route({
  method: 'put',
  path,
  operation: 'putCredential',
  tag,
  summary: 'Enter your own key for a provider of language models, or replace it',
  description:
    'It answers model steps of skills that take a key of their buyer or seller; docs/credentials.md says when, and who pays what. It is kept encrypted and is in no answer.',
  audience: 'admin',
  params,
  body: PutCredentialSchema,
  example: { api_key: 'sk-of-your-account-at-the-provider', label: 'Production' },
  status: 200,
  reply: CredentialSchema,
  refusals: ['NOT_FOUND', 'TIER_LIMIT_EXCEEDED', 'GOVERNANCE_APPROVAL_REQUIRED'],
  handler: ({ context, call, params: { provider }, body }) => setCredential(context, call, { ...body, provider }),
});

export const getCredentials = route({
  method: 'get',
  path: '/v1/credentials',
  operation: 'listCredentials',
  tag,
  summary: 'List your keys for providers of language models, by provider',
  description: 'Models that need a key of their own are asked with these, when you invoke a skill that says so.',
  audience: 'admin',
  query: z.object(offsetQuery),
  status: 200,
  reply: offsetList('credentials', CredentialSchema),
  handler: async ({ context, caller, query }) =>
    offsetAnswer('credentials', { ...(await pageOfCredentials(context, caller, query)), query }),
});

const getCredential = route({
  method: 'get',
  path,
  operation: 'getCredential',
  tag,
  summary: 'Show your key for a provider of language models by its last characters',
  description: 'The key itself is never shown. 404 means that none is entered.',
  audience: 'admin',
  params,
  status: 200,
  reply: CredentialSchema,
  refusals: ['NOT_FOUND'],
  handler: async ({ context, caller, params: { provider } }) => ({
    status: 200,
    body: await readCredential(context, caller, provider),
  }),
});

export const deleteCredential = route({
  method: 'delete',
  path,
  operation: 'deleteCredential',
  tag,
  summary: 'Delete your key for a provider of language models',
  description:
    'Runs that need it are refused, or fail, from then on. Revoke the key at the provider where it is known to somebody.',
  audience: 'admin',
  params,
  status: 200,
  reply: DeletedSchema,
  refusals: ['NOT_FOUND'],
  handler: ({ context, call, params: { provider } }) => removeCredential(context, call, provider),
});

export const credentialRoutes: AnyRoute[] = [putCredential, getCredentials, getCredential, deleteCredential];
