import type { Config } from '../../context/config.ts';
import { CarnetError } from '../../errors/carnet-error.ts';

/**
 * Adds `top_up_url` to a 402 from the ledger, so that the caller knows how to pay: a page, since people follow it; any other error is returned
 * unchanged.
 */
export function withTopUpUrl(config: Config, error: unknown): unknown {
  if (!(error instanceof CarnetError) || error.code !== 'INSUFFICIENT_CREDITS') return error;
  const extra = { ...error.extra, top_up_url: `${config.publicBaseUrl}/docs#/billing/createTopUp` };
  return new CarnetError(error.code, error.message, { extra, cause: error });
}
