import { z } from 'zod';

/** The types of members that several payloads share. */

const matching = (pattern: RegExp, what: string) => z.string().regex(pattern, `must be ${what}`);

const idOf = (prefix: string, of: string) =>
  matching(new RegExp(`^${prefix}_[A-Za-z0-9_-]+$`), `${of}: \`${prefix}_\`, then letters, digits, \`_\` or \`-\``);

export const hash64 = matching(/^[0-9a-f]{64}$/, '64 lower-case hex digits');
export const agentId = matching(/^agt?_[A-Za-z0-9_-]+$/, 'an agent: `ag_` or `agt_`, then letters, digits, `_` or `-`');
export const claimRef = idOf('pc', 'a claim');
export const missionRef = idOf('ms', 'a mission').nullable();
export const operatorId = idOf('op', 'an operator');
export const invocationId = idOf('inv', 'an invocation');
export const checkpointId = idOf('chk', 'a checkpoint');
export const detectorKey = matching(/^[a-z]\w*$/, 'a lower-case letter, then letters, digits or `_`');
export const namedIntent = matching(
  /^[a-z][\w-]*(:[a-z][\w-]*){2}$/,
  'three segments with colons between, each a lower-case letter, then letters, digits, `_` or `-`',
);
export const certThumbprint = matching(/^[0-9a-f]{40,128}$/, '40 to 128 lower-case hex digits');
export const contractAddress = matching(/^0x[0-9a-f]{40}$/, '`0x` and 40 lower-case hex digits');
export const transactionHash = matching(/^0x[0-9a-f]{64}$/, '`0x` and 64 lower-case hex digits');
export const subject = matching(
  /^[a-z][a-z0-9+.-]*:\/\/[a-z]+\/[\w-]+(\/[a-z]+\/[\w-]+)?$/,
  '`<scheme>://<kind>/<id>`, with another `/<kind>/<id>` behind it if need be',
).max(2_000, 'must have at most 2000 characters');

/** In any unit; stored as it is sent. */
export const time = z.number();
export const wholeTime = z.int();
export const count = z.int().min(0);
export const severity = z.enum(['low', 'medium', 'high', 'critical']);

/** Members of any name and type. */
export const openObject = z.looseObject({});

/** Most items of a list and members of a map where the list or map has no bound of its own: as many as a report may name. */
const MAX_ITEMS = 1_000;
export const listOf = <Item extends z.ZodType>(item: Item) => z.array(item).max(MAX_ITEMS);
export const stringMap = z
  .record(z.string(), z.string())
  .refine((map) => Object.keys(map).length <= MAX_ITEMS, `must have at most ${MAX_ITEMS} members`)
  .meta({ maxProperties: MAX_ITEMS });

export const cost = z.strictObject({
  wallet_cents: z.number().min(0).nullable(),
  tokens: count.nullable(),
  gas_gwei: z.number().min(0).nullable(),
});
