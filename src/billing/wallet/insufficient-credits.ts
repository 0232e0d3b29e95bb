import type { Config } from '../../context/config.ts';
import { CarnetError } from '../../errors/carnet-error.ts';

/**
 * Adds to a 402 from the ledger where the wallet is topped up (decisions K28); any other error is returned as it is.
 */
export function withTopUpUrl(config: Config, error: unknown): unknown {
  if (!(error instanceof CarnetError) || error.code !== 'INSUFFICIENT_CREDITS') return error;
  const extra = { ...error.extra, top_up_url: `${config.publicBaseUrl}/v1/billing/topup` };
  return new CarnetError(error.code, error.message, { extra, cause: error });
}
