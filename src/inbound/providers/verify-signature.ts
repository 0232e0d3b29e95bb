import type { InboundProvider } from '../../fields/inbound-providers.ts';
import { providers } from './registry.ts';
import { REFUSED, type Received, type Verification } from './schemes.ts';

/**
 * Whether a request was signed with a secret of its endpoint. The first signature that it carries decides, in the order of its provider. So a
 * request is never accepted beside a signature that does not fit. A header that comes twice fits in no scheme: nobody can tell which of the
 * two was meant.
 */
export function verifySignature({ provider, ...received }: Received & { provider: InboundProvider }): Verification {
  for (const scheme of providers[provider].schemes) {
    const verification = scheme(received);
    if (verification !== null) return verification;
  }
  return REFUSED;
}
