import { actToOutlive, lockOperator } from '../accounts/index.ts';
import type { Caller } from '../commands/caller.ts';
import type { Answered, CommandCall } from '../commands/command.ts';
import { runCommand } from '../commands/run.ts';
import type { Unit } from '../commands/unit.ts';
import type { Context } from '../context/context.ts';
import { assertThat, CarnetError, notFound } from '../errors/carnet-error.ts';
import { countCredentials, deleteCredential, findCredential, listCredentials, putCredential } from './queries.ts';
import type { Credential, PutCredential } from './schema.ts';
import { credentialEncryptionContext } from './encryption.ts';

/** As many as destinations; providers come and go with the settings, and what was entered for one stays. */
const MAX_CREDENTIALS = 50;

/** A credential for a provider, and what is sent for it. */
type Entered = PutCredential & { provider: string };

/**
 * Enters the key of the operator for a provider, or replaces the one that is there.
 * @throws CarnetError NOT_FOUND for a provider that the settings do not have; TIER_LIMIT_EXCEEDED; GOVERNANCE_APPROVAL_REQUIRED for a
 *   bearer that ends, which the key would outlive
 */
export const setCredential = (context: Context, call: CommandCall, entered: Entered): Promise<Answered<Credential>> =>
  runCommand(context, call, async (unit) => {
    const { provider, api_key: apiKey, label = null } = entered;
    const credential = { operatorId: call.caller.operatorId, provider };
    assertProvider(context, provider);
    assertThat(await lockOperator(unit.connection, credential.operatorId), () => notFound('operator'));
    const replaces = await findCredential(unit.connection, credential);
    if (replaces === null) await assertRoom(unit, credential.operatorId);
    const refused = await requireToOutlive(context, unit, { call, entered, replaces });
    if (refused !== null) return refused;
    const body = await putCredential(unit.connection, credential, {
      secret: context.encryption.encrypt(apiKey, credentialEncryptionContext(credential)),
      lastFour: lastFourOf(apiKey),
      label,
    });
    await unit.audit('credential.set', provider, { label, last_four: body.last_four, replaced: replaces !== null });
    return { status: 200, body };
  });

const lastFourOf = (apiKey: string): string => apiKey.slice(-4);

function assertProvider({ config }: Context, provider: string): void {
  const slugs = config.modelProviders.map(({ slug }) => slug);
  if (slugs.includes(provider)) return;
  const known = slugs.length === 0 ? 'this service has none' : `there are: ${slugs.join(', ')}`;
  throw new CarnetError('NOT_FOUND', `There is no such provider of language models; ${known}.`);
}

/** With the operator locked: of two in parallel the second counts the first. */
async function assertRoom({ connection }: Unit, operatorId: Caller['operatorId']): Promise<void> {
  const used = await countCredentials(connection, operatorId);
  if (used < MAX_CREDENTIALS) return;
  const detail = `An operator has ${MAX_CREDENTIALS} credentials at most; delete one that is not needed.`;
  throw new CarnetError('TIER_LIMIT_EXCEEDED', detail, { extra: { limit: MAX_CREDENTIALS, used } });
}

/**
 * The person who gave the key can read at the provider what it is used for. An approval is kept for ever, so it has the key by its last characters and a
 * MAC, which binds it to this key and gives nothing away.
 */
async function requireToOutlive(
  context: Context,
  unit: Unit,
  { call, entered, replaces }: { call: CommandCall; entered: Entered; replaces: Credential | null },
): ReturnType<Context['requireApproval']> {
  const act = await actToOutlive(unit.connection, call.caller, { act: 'credential.outlives_maker', end: null });
  if (act === null) return null;
  const { provider, api_key: apiKey, label = null } = entered;
  const shown = {
    label,
    last_four: lastFourOf(apiKey),
    api_key_mac: context.encryption.mac(apiKey, 'approval-of-credential'),
  };
  const asked = { ...call, request: call.request === null ? null : { ...call.request, body: shown } };
  return await context.requireApproval(unit, asked, {
    act,
    subject: {
      provider,
      replaces: replaces && { label: replaces.label, last_four: replaces.last_four, updated_at: replaces.updated_at },
    },
  });
}

/** @throws CarnetError NOT_FOUND where the operator has none for this provider */
export async function readCredential({ pool }: Context, { operatorId }: Caller, provider: string): Promise<Credential> {
  const credential = await findCredential(pool, { operatorId, provider });
  assertThat(credential, () => notFound('credential'));
  return credential;
}

export async function pageOfCredentials(
  { pool }: Context,
  { operatorId }: Caller,
  page: { limit: number; offset: number },
): Promise<{ items: Credential[]; total: number }> {
  const [items, total] = await Promise.all([
    listCredentials(pool, operatorId, page),
    countCredentials(pool, operatorId),
  ]);
  return { items: [...items], total };
}

/**
 * Deletes the key immediately; of a provider that the settings have no more too. A call under way by it goes on.
 * @throws CarnetError NOT_FOUND where the operator has none for this provider
 */
export const removeCredential = (
  context: Context,
  call: CommandCall,
  provider: string,
): Promise<Answered<{ deleted: true }>> =>
  runCommand(context, call, async ({ connection, audit }) => {
    const deleted = await deleteCredential(connection, { operatorId: call.caller.operatorId, provider });
    assertThat(deleted, () => notFound('credential'));
    await audit('credential.deleted', provider);
    return { status: 200, body: { deleted: true } };
  });
