import { sql } from '../../database/pool.ts';
import { secretsIn } from '../../webhooks/secrets.ts';

export const destinationSecrets = secretsIn({
  what: 'secrets of webhooks',
  table: sql.fragment`destinations`,
  purpose: 'destination-secret',
});
