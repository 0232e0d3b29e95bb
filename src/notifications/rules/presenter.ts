import { presentDestination } from '../destinations/presenter.ts';
import type { DestinationRow } from '../destinations/queries.ts';
import type { RuleRow } from './queries.ts';
import type { ListedRule } from './schema.ts';

/**
 * A rule with the fields of its first destination, and its destinations.
 * @param destinations at least those of the rule, by id
 */
export function presentRule(rule: RuleRow, destinations: ReadonlyMap<string, DestinationRow>): ListedRule {
  const methods = rule.destination_ids.flatMap((id) => destinations.get(id) ?? []).map(presentDestination);
  const [first] = methods;
  return {
    ...rule,
    channel_type: first?.channel_type ?? null,
    destination: first?.destination ?? null,
    destination_id: first?.id ?? null,
    verified: first !== undefined && methods.every(({ verified }) => verified),
    delivery_methods: methods,
  };
}
