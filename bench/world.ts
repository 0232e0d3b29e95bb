import { ensureApiKey, ensureOperator, newSecret } from '../src/accounts/index.ts';
import { ensureDemoCredit } from '../src/billing/index.ts';
import type { Context } from '../src/context/context.ts';
import type { ApiKeyId, OperatorId } from '../src/ids/ids.ts';
import { createLogger } from '../src/context/logging.ts';
import { openContext } from '../src/process/open-context.ts';
import { publishSkill } from '../src/skills/publishing/publish-skill.ts';
import { PublishSkillSchema } from '../src/skills/schema.ts';
import { configOf } from './config.ts';

interface Account {
  operatorId: OperatorId;
  key: string;
}

/** A skill for one cent, its publisher, and a consumer with money for all invocations of a bench. */
export interface World {
  databaseUrl: string;
  skillId: string;
  provider: Account;
  consumer: Account;
}

/** Cents: ten million invocations. */
const CREDIT = 10_000_000;

const text = {
  type: 'object',
  properties: { text: { type: 'string', maxLength: 10_000 } },
  required: ['text'],
  additionalProperties: false,
};

export async function makeWorld(databaseUrl: string): Promise<World> {
  const context = await openContext(configOf({ databaseUrl }), createLogger('warn'), {
    messagesCommitted() {},
    async begin() {},
    async newestRun() {
      return null;
    },
  });
  const provider = await account(context, 'provider');
  const consumer = await account(context, 'consumer');
  await ensureDemoCredit(context, consumer.operatorId, CREDIT);
  const caller = {
    kind: 'operator',
    operatorId: provider.operatorId,
    role: 'admin',
    platform: false,
    by: { kind: 'key', keyId: 'bench' as ApiKeyId },
  } as const;
  const { body: skill } = await publishSkill(
    context,
    { caller, operation: 'publishSkill', idempotency: null, requestId: 'bench', request: null },
    PublishSkillSchema.parse({
      name: 'summarise-text',
      description: 'Summarises a text in three sentences.',
      version: '1.0.0',
      input_schema: text,
      output_schema: text,
      trust_level_required: 'L0',
      tags: ['text', 'summary'],
      price_per_invocation: 1,
    }),
  );
  await context.close();
  return { databaseUrl, skillId: skill.id, provider, consumer };
}

async function account(context: Context, name: string): Promise<Account> {
  const operatorId = await ensureOperator(context, { name, email: `${name}@carnet.invalid`, tier: 'enterprise' });
  const key = newSecret();
  await ensureApiKey(context, { operatorId, plaintext: key, name });
  return { operatorId, key };
}
