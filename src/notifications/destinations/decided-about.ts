import type { CommonQueryMethods } from '../../database/pool.ts';
import { rulesNaming, type DestinationRow } from './queries.ts';

/** All that a person must know who decides about a destination that there is: where it is, and what is sent there by which rules. */
export const decidedAbout = async (
  connection: CommonQueryMethods,
  { id, channel_type, destination, verified_at, disabled_at }: DestinationRow,
): Promise<object> => ({
  id,
  channel_type,
  destination,
  verified: verified_at !== null,
  disabled: disabled_at !== null,
  rules: await rulesNaming(connection, id),
});
