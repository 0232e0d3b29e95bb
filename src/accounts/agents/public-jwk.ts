import { z } from 'zod';

const P = 2n ** 255n - 19n;

const power = (base: bigint, exponent: bigint): bigint => {
  let result = 1n;
  let square = base % P;
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = (result * square) % P;
    square = (square * square) % P;
  }
  return result;
};

/** d of the curve -x² + y² = 1 + dx²y² (RFC 8032 §5.1). */
const D = ((P - 121_665n) * power(121_666n, P - 2n)) % P;

/** y of one of the points of order eight; the other's is its negative. */
const Y_OF_ORDER_EIGHT = 0x7a03ac9277fdc74ec6cc392cfa53202a0f67100d760b3cba4fd84d3d706a17c7n;

/** y of every point whose order divides eight: a signature that fits any message can be made for these. */
const SMALL_ORDER: ReadonlySet<bigint> = new Set([0n, 1n, P - 1n, Y_OF_ORDER_EIGHT, P - Y_OF_ORDER_EIGHT]);

/**
 * Says what is wrong with the 32 bytes of an Ed25519 public key (RFC 8032 §5.1.3); undefined: nothing. node:crypto accepts
 * any.
 */
function faultOfPoint(bytes: Buffer): string | undefined {
  const y = BigInt(`0x${Buffer.from(bytes.toReversed()).toString('hex')}`) & (2n ** 255n - 1n);
  if (y >= P) return 'must encode its point canonically (RFC 8032)';
  if (SMALL_ORDER.has(y)) return 'must not be a point of small order: anybody could sign for it';
  const u = (y * y - 1n + P) % P;
  const v = (D * y * y + 1n) % P;
  return power(u * v, (P - 1n) / 2n) === 1n ? undefined : 'must be a point of the curve; was the key copied whole?';
}

const coordinate = z.string().superRefine((text, context) => {
  const bytes = Buffer.from(text, 'base64url');
  const fault =
    bytes.length === 32 && bytes.toString('base64url') === text
      ? faultOfPoint(bytes)
      : 'must be the 32 bytes of the public key in base64url without padding, 43 characters';
  if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
});

/** An Ed25519 public key (RFC 8037); a private key (`d`) or any other member is refused. */
export const PublicJwkSchema = z
  .strictObject({
    kty: z.literal('OKP'),
    crv: z.literal('Ed25519'),
    x: coordinate,
    kid: z.string().min(1).max(128).optional(),
    alg: z.enum(['EdDSA', 'Ed25519']).optional(),
    use: z.literal('sig').optional(),
  })
  .meta({
    id: 'PublicJwk',
    description: 'The Ed25519 public key of an agent, as a JWK (RFC 8037). Never send the private member `d`.',
    examples: [{ kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }],
  });
export type PublicJwk = z.infer<typeof PublicJwkSchema>;
