import type { Context } from '../../context/context.ts';
import { listSecrets, replaceSealedSecret } from './queries.ts';
import { sealSecret, openSecrets } from './secrets.ts';

/** Rows read at once. */
const BATCH = 500;

/**
 * Seals the secrets of webhooks under the first key of ENCRYPTION_KEY, so that the one that sealed them can leave the list. At a start, since
 * a list is changed by starting anew. What no key opens stays as it is: such a webhook needs another secret.
 */
export async function sealSecretsAnew({ pool, encryption, log }: Context): Promise<void> {
  let [sealed, lost, after] = [0, 0, ''];
  for (;;) {
    const rows = await listSecrets(pool, after, BATCH);
    for (const { id, secret } of rows.filter((row) => !encryption.isCurrent(row.secret))) {
      try {
        const [text] = openSecrets(encryption, { id, secret, old_secret: null });
        await replaceSealedSecret(pool, id, { before: secret, after: sealSecret(encryption, id, text) });
        sealed += 1;
      } catch {
        lost += 1;
      }
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < BATCH) break;
    after = last.id;
  }
  if (sealed > 0) log.info({ sealed }, 'secrets of webhooks were sealed under the first key of ENCRYPTION_KEY');
  if (lost > 0)
    log.error(
      { lost },
      'no key of ENCRYPTION_KEY opens these secrets of webhooks: nothing can be sent there until they are rotated',
    );
}
