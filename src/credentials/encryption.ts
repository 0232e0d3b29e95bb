import type { Context } from '../context/context.ts';
import { encryptAgain } from '../context/encrypt-again.ts';
import { sql } from '../database/pool.ts';
import type { CredentialRef } from './queries.ts';

/** The context under which the key of a row is sealed. @param row operator and provider, with a slash between them */
const encryptionContextOfRow = (row: string): string => `model-credential:${row}`;

export const credentialEncryptionContext = ({ operatorId, provider }: CredentialRef): string =>
  encryptionContextOfRow(`${operatorId}/${provider}`);

/** At a start. A key that cannot be opened is none to a caller that asks for it. */
export const encryptCredentialsAgain = (context: Context): Promise<void> =>
  encryptAgain(context, {
    what: 'keys for model providers',
    table: sql.fragment`model_credentials`,
    // A row has two columns for it; no slug has a slash.
    id: sql.fragment`operator_id || '/' || provider`,
    keepsOld: false,
    encryptionContextOf: encryptionContextOfRow,
  });
