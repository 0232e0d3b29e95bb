import type { Context } from '../context/context.ts';
import { findSecret, noteUse, type CredentialRef } from './queries.ts';
import { credentialEncryptionContext } from './encryption.ts';

/**
 * The key that an operator has entered for a provider of language models, for one call of a model and nothing else; notes that it was used.
 * @returns null where there is none, or none that a key of ENCRYPTION_KEY opens, which the log says
 */
export async function apiKeyOf({ pool, encryption, log }: Context, credential: CredentialRef): Promise<string | null> {
  const sealed = await findSecret(pool, credential);
  if (sealed === null) return null;
  let apiKey: string;
  try {
    apiKey = encryption.decrypt(sealed, credentialEncryptionContext(credential));
  } catch (error) {
    log.error({ err: error, ...credential }, 'a key for a model provider cannot be opened: it has to be entered again');
    return null;
  }
  await noteUse(pool, credential);
  return apiKey;
}
