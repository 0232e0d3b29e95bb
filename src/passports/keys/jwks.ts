import { z } from 'zod';
import type { Context } from '../../context/context.ts';
import { signingKey } from '../../fields/signing-key.ts';
import { activeKey, signingKeys } from './signing-keys.ts';

export const JwksSchema = z.object({ keys: z.array(signingKey) }).meta({
  id: 'Jwks',
  description: 'The keys whose passports count: the one that signs, the next one, and those that stopped recently.',
  examples: [
    {
      keys: [
        {
          kty: 'OKP',
          crv: 'Ed25519',
          x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
          kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
          alg: 'EdDSA',
          use: 'sig',
        },
      ],
    },
  ],
});
type Jwks = z.infer<typeof JwksSchema>;

/** Our public keys as a JWKS (RFC 7517): the active one, the next, and retired ones whose passports still count. */
export async function jwks(context: Context): Promise<Jwks> {
  await activeKey(context);
  const { counting } = await signingKeys(context).ring();
  const shown = { kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig' } as const;
  return { keys: [...counting.values()].map(({ x, kid }) => ({ ...shown, x, kid })) };
}
