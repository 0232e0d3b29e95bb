import type { Client } from '@temporalio/client';
import { defineSearchAttributeKey, SearchAttributeType, type SearchAttributePair } from '@temporalio/common';
import type { LifeDescription } from '../src/commands/life-description.ts';
import { lifeStatusKey } from '../workflows/life-status.ts';

const operatorIdKey = defineSearchAttributeKey('OperatorId', SearchAttributeType.KEYWORD_LIST);
const agentIdKey = defineSearchAttributeKey('AgentId', SearchAttributeType.KEYWORD);
const skillIdKey = defineSearchAttributeKey('SkillId', SearchAttributeType.KEYWORD);

interface AttributeKey {
  name: string;
  type: SearchAttributeType;
}

/** The attributes that lives can be listed by; `{name, type}` of each, for the person who prepares a namespace. */
export const searchAttributes: readonly AttributeKey[] = [operatorIdKey, agentIdKey, skillIdKey, lifeStatusKey];

/** Numbers of temporal.api.enums.v1.IndexedValueType. */
const INDEXED_VALUE_TYPE: Partial<Record<SearchAttributeType, number>> = { KEYWORD: 2, KEYWORD_LIST: 7 };

/** The attributes a life starts with; it turns LifeStatus to `ended` itself. */
export const openLife = ({ operatorIds, agentId, skillId }: LifeDescription): SearchAttributePair[] => [
  { key: lifeStatusKey, value: 'open' },
  { key: operatorIdKey, value: operatorIds },
  ...(agentId === null ? [] : [{ key: agentIdKey, value: agentId }]),
  ...(skillId === null ? [] : [{ key: skillIdKey, value: skillId }]),
];

/**
 * Registers what the namespace lacks. Two processes may do it in parallel: the second finds them there.
 * @throws ServiceError or a gRPC error when the server does not answer or does not allow it.
 */
export async function registerSearchAttributes(client: Client, namespace: string): Promise<void> {
  const { operatorService } = client.connection;
  const registered = async () => (await operatorService.listSearchAttributes({ namespace })).customAttributes ?? {};
  const missing = (known: Record<string, unknown>) => searchAttributes.filter(({ name }) => !(name in known));
  const lacking = missing(await registered());
  if (lacking.length === 0) return;
  try {
    await operatorService.addSearchAttributes({
      namespace,
      searchAttributes: Object.fromEntries(lacking.map(({ name, type }) => [name, INDEXED_VALUE_TYPE[type] ?? 0])),
    });
  } catch (error) {
    if (missing(await registered()).length > 0) throw error;
  }
}
