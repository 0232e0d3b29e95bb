import { sql } from '../../database/pool.ts';
import { secretsIn } from '../../webhooks/secrets.ts';

export const endpointSecrets = secretsIn({
  what: 'secrets of inbound endpoints',
  table: sql.fragment`inbound_endpoints`,
  purpose: 'inbound-secret',
});
