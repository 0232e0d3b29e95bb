import type { Context } from '../../context/context.ts';
import { sealAnew } from '../../context/seal-anew.ts';
import { secretSeal } from '../signing/secrets.ts';
import { listSecrets, replaceSealedSecrets } from './queries.ts';

/** At a start. Nothing can be sent to a webhook whose secret no key opens. */
export const sealSecretsAnew = (context: Context): Promise<void> =>
  sealAnew(context, {
    what: 'secrets of webhooks',
    sealOf: secretSeal,
    list: (after, limit) => listSecrets(context.pool, after, limit),
    replace: (before, after) => replaceSealedSecrets(context.pool, before, after),
  });
