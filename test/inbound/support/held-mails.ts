import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createEncryption, type Encryption } from '../../../src/context/encryption.ts';
import { sql } from '../../../src/database/pool.ts';
import { encryptContent } from '../../../src/inbound/events/content.ts';
import type { Finding } from '../../../src/inbound/scanner/index.ts';
import { makeBodyScanner } from '../../../src/inbound/scanner/scan.ts';
import { run } from '../../billing/ledger/ledger-world.ts';
import { buildAgent, type TestOperator } from '../../support/factories.ts';
import { database, service } from '../../support/service.ts';
import { ENDPOINTS } from '../endpoints/support.ts';
import { insertHeldEvent } from './endpoints.ts';

/** A mail that was held, and what the scanner has found in it. */
export interface HeldMail {
  id: string;
  endpoint: string;
  /** The path of the event. */
  path: string;
  body: Buffer;
  findings: Finding[];
}

/** A mail in JSON that was held, by SQL alone: no life has to come to its turn. */
export async function buildHeldMail(operator: TestOperator, mail: Record<string, string>): Promise<HeldMail> {
  const { operatorId } = operator;
  const { id: agentId } = await buildAgent(operator);
  const pool = await database();
  const { endpoint, event: id } = await insertHeldEvent(pool, { operatorId, agentId });
  const body = Buffer.from(JSON.stringify({ from: 'Eve <eve@example.com>', ...mail }));
  const input = { provider: 'mail_provider', contentType: 'application/json', body } as const;
  const { findings } = await makeBodyScanner().scan(input);
  await run(
    pool,
    sql.fragment`
    update inbound_events set provider = 'mail_provider', body_hash = sha256(${sql.binary(body)}), size = ${body.length}, findings = ${JSON.stringify(findings)}::jsonb
    where id = ${id}`,
  );
  await replaceBody(id, body);
  return { id, endpoint, path: `${ENDPOINTS}/${endpoint}/events/${id}`, body, findings };
}

/** Opens what the service has sealed. */
export async function encryptionOfService(): Promise<Encryption> {
  const key = await readFile(join(service().dataDir, 'encryption.key'), 'utf8');
  return createEncryption([Buffer.from(key, 'base64')]);
}

/** Replaces what is kept of an event from now on, with the hash that it had. */
export async function replaceBody(id: string, body: Buffer): Promise<void> {
  const encryption = await encryptionOfService();
  const sealed = encryptContent(encryption, id, { headers: {}, contentType: 'application/json', body });
  await run(
    await database(),
    sql.fragment`update inbound_contents set sealed = ${sql.binary(sealed)} where event_id = ${id}`,
  );
}

export const sha256Of = (body: Buffer): string => hash('sha256', body, 'hex');
