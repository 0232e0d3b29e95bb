import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { demoOperators, ensureAgent, ensureApiKey, ensureOperator, newSecret } from '../accounts/index.ts';
import { ensureGrant, ensureServiceConnection } from '../authority/index.ts';
import { ensureDemoCredit } from '../billing/index.ts';
import { credentialsFile, type DemoLinks } from '../context/config.ts';
import type { Context } from '../context/context.ts';
import { StartupFault } from '../errors/startup-fault.ts';

/** `credentials.json` in the data directory: where everything is, and the keys to it. Mode 0600. */
const CredentialsSchema = z.looseObject({
  base_url: z.string(),
  operator_id: z.string(),
  api_key: z.string(),
  email: z.string(),
  consumer_operator_id: z.string(),
  consumer_api_key: z.string(),
  admin_api_key: z.string(),
  agent_id: z.string(),
  service_connection_id: z.string(),
  temporal_ui_url: z.string().nullable(),
  temporal_address: z.string(),
  temporal_namespace: z.string(),
  dashboard_url: z.string(),
  platform_email: z.string().nullable(),
  payment_webhook_secret: z.string().nullable(),
});
const KeptSchema = CredentialsSchema.partial();
type KeptCredentials = z.infer<typeof KeptSchema>;
export type Credentials = z.infer<typeof CredentialsSchema>;

const CONSUMER_CREDIT_CENTS = 1_000;

/** Reads what an earlier start wrote; a file that is missing or damaged is made again, since its keys can be replaced. */
export async function readCredentials(dataDir: string): Promise<KeptCredentials> {
  const text = await readFile(credentialsFile(dataDir), 'utf8').catch(() => '{}');
  try {
    return KeptSchema.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Writes beside and renames, so that a reader never sees half a file. */
async function writeSecretFile(path: string, text: string): Promise<void> {
  await writeFile(`${path}.new`, text, { mode: 0o600 });
  await chmod(`${path}.new`, 0o600);
  await rename(`${path}.new`, path);
}

/**
 * The key of platform administration and the encryption key of an embedded instance: made once, kept in its data directory.
 * @throws StartupFault where the kept encryption key is damaged: another one would open nothing that was stored before.
 */
export async function ensureSecrets(dataDir: string): Promise<{ platformAdminKey: string; encryptionKeys: Buffer[] }> {
  const path = join(dataDir, 'encryption.key');
  let text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) {
    text = randomBytes(32).toString('base64');
    await writeSecretFile(path, text);
  }
  const encryptionKey = Buffer.from(text, 'base64');
  if (encryptionKey.length !== 32) {
    throw new StartupFault(
      `The encryption key in ${path} is damaged; restore the file from a backup, or delete it to go on without the one-time secrets stored under it.`,
    );
  }
  const { admin_api_key: kept } = await readCredentials(dataDir);
  return {
    platformAdminKey: kept ?? `plat_${randomBytes(32).toString('base64url')}`,
    encryptionKeys: [encryptionKey],
  };
}

/** Long enough to read the terminal after a first start, and no longer. */
const DEMO_LINK_MS = 15 * 60_000;

/** New with each start, and kept by nobody: the terminal shows them, and this process knows them. */
export const newDemoLinks = (): DemoLinks => {
  const token = (): string => randomBytes(32).toString('base64url');
  return { tokens: { publisher: token(), consumer: token() }, until: Date.now() + DEMO_LINK_MS };
};

/** The demo operators of an embedded instance, item by item, so that a start repairs what is missing and repeats nothing. */
export async function seed(context: Context): Promise<Credentials> {
  const { config } = context;
  const kept = await readCredentials(config.dataDir);
  const publisher = await ensureOperator(context, {
    id: kept.operator_id,
    ...demoOperators.publisher,
    tier: 'developer',
  });
  const consumer = await ensureOperator(context, {
    id: kept.consumer_operator_id,
    ...demoOperators.consumer,
    tier: 'developer',
  });
  const apiKey = kept.api_key ?? newSecret();
  const consumerKey = kept.consumer_api_key ?? newSecret();
  await ensureApiKey(context, { operatorId: publisher, plaintext: apiKey, name: 'demo publisher' });
  await ensureApiKey(context, { operatorId: consumer, plaintext: consumerKey, name: 'demo consumer' });
  const agentId = await ensureAgent(context, { id: kept.agent_id, operatorId: publisher, name: 'demo-agent' });
  const connectionId = await ensureServiceConnection(context, {
    id: kept.service_connection_id,
    operatorId: publisher,
    serviceId: 'github',
    serviceName: 'github',
    scopes: ['repo:read', 'repo:write', 'issues:write'],
  });
  await ensureGrant(context, { operatorId: publisher, agentId, connectionId });
  await ensureDemoCredit(context, consumer, CONSUMER_CREDIT_CENTS);
  const credentials: Credentials = {
    base_url: config.publicBaseUrl,
    operator_id: publisher,
    api_key: apiKey,
    email: demoOperators.publisher.email,
    consumer_operator_id: consumer,
    consumer_api_key: consumerKey,
    admin_api_key: config.platformAdminKey,
    agent_id: agentId,
    service_connection_id: connectionId,
    temporal_ui_url: config.temporalUiUrl ?? null,
    temporal_address: config.temporal.address,
    temporal_namespace: config.temporal.namespace,
    dashboard_url: `${config.publicBaseUrl}/dashboard`,
    platform_email: config.platformOwnerEmail,
    payment_webhook_secret: config.payments?.provider === 'local' ? config.payments.webhookSecrets[0] : null,
  };
  await writeSecretFile(credentialsFile(config.dataDir), `${JSON.stringify(credentials, null, 2)}\n`);
  return credentials;
}
