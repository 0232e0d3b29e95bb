import { lockOperator } from '../../accounts/index.ts';
import type { Caller } from '../../commands/caller.ts';
import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import type { CommonQueryMethods } from '../../database/pool.ts';
import { assertThat, CarnetError, invalid, notFound, type FieldFault } from '../../errors/carnet-error.ts';
import { standardEventTypes } from '../../events/index.ts';
import { newId, type OperatorId } from '../../ids/ids.ts';
import { listDestinationsById, type DestinationRow } from '../destinations/queries.ts';
import type { Destination } from '../destinations/schema.ts';
import { presentRule } from './presenter.ts';
import {
  countRules,
  deleteRuleRow,
  findRule,
  insertRule,
  keepDestinations,
  listRules,
  replaceDestinations,
  saveRule,
  type RuleRow,
} from './queries.ts';
import type { CreateRule, ListedRule, Rule, UpdateRule } from './schema.ts';

/** An operator has this many at most: each event is compared with all of them. */
const MAX_RULES = 100;

/**
 * Creates a rule; without `events` it is of the four that are not optional. The operator is locked in every command on rules: rules are
 * counted, and what they name decides which optional events are written.
 * @throws CarnetError VALIDATION_ERROR for a destination that the operator does not have, DESTINATION_UNVERIFIED, TIER_LIMIT_EXCEEDED
 *   with `limit` and `used`, GOVERNANCE_APPROVAL_REQUIRED.
 */
export const createRule = (context: Context, call: CommandCall, body: CreateRule): Promise<Answered<Rule>> =>
  runCommand<Rule>(context, call, async (unit) => {
    const { connection, audit } = unit;
    const { operatorId } = call.caller;
    await lockOperator(connection, operatorId);
    const named = await verifiedDestinations(connection, operatorId, body.destination_ids);
    await assertRoom(connection, operatorId);
    const refused = await context.requireApproval(unit, call, {
      act: 'notification_rule.created',
      subject: {
        destinations: named.map(addressOf),
        rules: await rulesBeside(connection, operatorId, (rule) =>
          rule.destination_ids.some((one) => body.destination_ids.includes(one)),
        ),
      },
    });
    if (refused !== null) return refused;
    const id = newId('chn');
    const events = body.events ?? standardEventTypes;
    await insertRule(connection, { id, operatorId, events, minSeverity: body.min_severity });
    await replaceDestinations(connection, id, body.destination_ids);
    await audit('notification_rule.created', id, {
      destination_ids: body.destination_ids,
      events,
      min_severity: body.min_severity,
    });
    const made = await existingRule(connection, operatorId, id);
    return { status: 201, body: withoutMethods(made), location: `/v1/notifications/channels/${id}` };
  });

/**
 * Changes a rule; with other destinations one that was left without any is active again.
 * @throws CarnetError NOT_FOUND, VALIDATION_ERROR for a destination that the operator does not have, DESTINATION_UNVERIFIED,
 *   GOVERNANCE_APPROVAL_REQUIRED.
 */
export const updateRule = (
  context: Context,
  call: CommandCall,
  { ruleId, patch }: { ruleId: string; patch: UpdateRule },
): Promise<Answered<Rule>> =>
  runCommand<Rule>(context, call, async (unit) => {
    const { connection, audit } = unit;
    const { operatorId } = call.caller;
    await lockOperator(connection, operatorId);
    const before = await existingRule(connection, operatorId, ruleId);
    const { destination_ids: ids, events, min_severity: minSeverity } = patch;
    const named = ids === undefined ? [] : await verifiedDestinations(connection, operatorId, ids);
    const refused = await context.requireApproval(unit, call, {
      act: 'notification_rule.changed',
      subject: {
        ...(await decidedAbout(connection, operatorId, before)),
        destinations: named.map(addressOf),
      },
    });
    if (refused !== null) return refused;
    if (ids !== undefined) await replaceDestinations(connection, ruleId, ids);
    if (events !== undefined || minSeverity !== undefined) await saveRule(connection, ruleId, { events, minSeverity });
    await audit('notification_rule.changed', ruleId, patch);
    return { status: 200, body: withoutMethods(await existingRule(connection, operatorId, ruleId)) };
  });

/** @throws CarnetError NOT_FOUND, GOVERNANCE_APPROVAL_REQUIRED. */
export const deleteRule = (context: Context, call: CommandCall, ruleId: string): Promise<Answered<{ deleted: true }>> =>
  runCommand<{ deleted: true }>(context, call, async (unit) => {
    const { connection, audit } = unit;
    const { operatorId } = call.caller;
    await lockOperator(connection, operatorId);
    const rule = await existingRule(connection, operatorId, ruleId);
    const refused = await context.requireApproval(unit, call, {
      act: 'notification_rule.deleted',
      subject: await decidedAbout(connection, operatorId, rule),
    });
    if (refused !== null) return refused;
    await deleteRuleRow(connection, ruleId);
    await audit('notification_rule.deleted', ruleId);
    return { status: 200, body: { deleted: true } };
  });

/** @throws CarnetError NOT_FOUND */
export const readRule = ({ pool }: Context, { operatorId }: Caller, ruleId: string): Promise<ListedRule> =>
  existingRule(pool, operatorId, ruleId);

export const allRules = async ({ pool }: Context, { operatorId }: Caller): Promise<ListedRule[]> =>
  presented(pool, operatorId, await listRules(pool, operatorId));

/** @throws CarnetError NOT_FOUND */
async function existingRule(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ruleId: string,
): Promise<ListedRule> {
  const found = await findRule(connection, { operatorId, ruleId });
  const [rule] = await presented(connection, operatorId, found === null ? [] : [found]);
  assertThat(rule, () => notFound('notification rule'));
  return rule;
}

const withoutMethods = ({ delivery_methods: _methods, ...rule }: ListedRule): Rule => rule;

async function presented(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  rules: readonly RuleRow[],
): Promise<ListedRule[]> {
  const ids = [...new Set(rules.flatMap(({ destination_ids }) => destination_ids))];
  const destinations = await destinationsById(connection, operatorId, ids);
  return rules.map((rule) => presentRule(rule, destinations));
}

const destinationsById = async (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<ReadonlyMap<string, DestinationRow>> =>
  new Map((await listDestinationsById(connection, operatorId, ids)).map((one) => [one.id, one]));

/**
 * All that a person must know who decides about a rule that there is: where it sends which events, and every other rule, since they are what is
 * left without it.
 */
const decidedAbout = async (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  rule: ListedRule,
): Promise<object> => ({
  rule: subjectOf(rule),
  rules: await rulesBeside(connection, operatorId, ({ id }) => id !== rule.id),
});

/** Finds the operator's rules that a decision about another one depends on. */
const rulesBeside = async (
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  counts: (rule: RuleRow) => boolean,
): Promise<object[]> =>
  (await presented(connection, operatorId, (await listRules(connection, operatorId)).filter(counts))).map((rule) => ({
    id: rule.id,
    active: rule.active,
    ...subjectOf(rule),
  }));

/** Where a rule sends which events. How a destination fares is nothing that anybody decides about. */
const subjectOf = ({ events, min_severity, delivery_methods: methods }: ListedRule) => ({
  events,
  min_severity,
  destinations: methods.map(addressOf),
});

const addressOf = ({
  id,
  channel_type,
  destination,
}: Pick<Destination, 'id' | 'channel_type' | 'destination'>): object => ({
  id,
  channel_type,
  destination,
});

async function assertRoom(connection: CommonQueryMethods, operatorId: OperatorId): Promise<void> {
  const used = await countRules(connection, operatorId);
  if (used < MAX_RULES) return;
  const detail = `An operator has ${MAX_RULES} notification rules at most; delete one, or add destinations and events to one that there is.`;
  throw new CarnetError('TIER_LIMIT_EXCEEDED', detail, { extra: { limit: MAX_RULES, used } });
}

/** In the order in which they are named. @throws CarnetError VALIDATION_ERROR for those that are not there, DESTINATION_UNVERIFIED. */
async function verifiedDestinations(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<DestinationRow[]> {
  await keepDestinations(connection, operatorId, ids);
  const found = await destinationsById(connection, operatorId, ids);
  const [fault, ...faults] = faultsAt(ids, {
    isFault: (id) => !found.has(id),
    code: 'invalid_reference',
    message: 'must be a destination of yours',
  });
  if (fault !== undefined) throw invalid(fault, ...faults);
  const unverified = faultsAt(ids, {
    isFault: (id) => (found.get(id)?.verified_at ?? null) === null,
    code: 'unverified',
    message: 'is not verified',
  });
  if (unverified.length > 0) {
    throw new CarnetError(
      'DESTINATION_UNVERIFIED',
      'Nothing is sent to a destination that is not verified; enter the code that was sent to it first.',
      { errors: unverified },
    );
  }
  return ids.flatMap((id) => found.get(id) ?? []);
}

const faultsAt = (
  ids: readonly string[],
  { isFault, code, message }: { isFault: (id: string) => boolean; code: string; message: string },
): FieldFault[] => ids.flatMap((id, at) => (isFault(id) ? [{ path: `destination_ids.${at}`, code, message }] : []));
