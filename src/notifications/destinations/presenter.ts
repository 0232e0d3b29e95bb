import type { DestinationRow } from './queries.ts';
import type { Destination } from './schema.ts';

/** A destination as its operator sees it: without secrets. */
export const presentDestination = ({ verified_at: verifiedAt, ...row }: DestinationRow): Destination => ({
  ...row,
  verified: verifiedAt !== null,
});
