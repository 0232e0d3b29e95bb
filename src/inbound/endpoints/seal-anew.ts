import type { Context } from '../../context/context.ts';
import { sealAnew } from '../../context/seal-anew.ts';
import { listEndpointSecrets, replaceEndpointSecrets } from './queries.ts';
import { endpointSeal } from './secrets.ts';

/** At a start. Nothing is taken at an endpoint whose secret no key opens. */
export const sealEndpointSecretsAnew = (context: Context): Promise<void> =>
  sealAnew(context, {
    what: 'secrets of inbound endpoints',
    sealOf: endpointSeal,
    list: (after, limit) => listEndpointSecrets(context.pool, after, limit),
    replace: (before, after) => replaceEndpointSecrets(context.pool, before, after),
  });
