import type { z } from 'zod';
import type { Log } from './log-key.ts';
import type { LogKeySchema } from './schema.ts';

/** The public key of the log (RFC 7517). */
export const logJwk = ({ x, kid }: Log): z.infer<typeof LogKeySchema> => ({
  kty: 'OKP',
  crv: 'Ed25519',
  x,
  kid,
  alg: 'EdDSA',
  use: 'sig',
});
