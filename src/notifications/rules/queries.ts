import { z } from 'zod';
import { textArray } from '../../database/columns.ts';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId, RuleId } from '../../ids/ids.ts';
import { RuleSchema } from './schema.ts';

const RuleRow = RuleSchema.pick({
  id: true,
  operator_id: true,
  destination_ids: true,
  events: true,
  min_severity: true,
  active: true,
  created_at: true,
});
export type RuleRow = z.infer<typeof RuleRow>;

const Count = z.object({ count: z.number() });
const Nothing = z.object({});

const columns = sql.fragment`
  r.id, r.operator_id, r.events, r.min_severity, r.active, r.created_at,
  array(select destination_id from rule_destinations where rule_id = r.id order by position) as destination_ids`;

/** A rule as its operator sees it; null where it is another's. */
interface RuleOfOperator {
  operatorId: OperatorId;
  ruleId: string;
}

export const findRule = (
  connection: CommonQueryMethods,
  { operatorId, ruleId }: RuleOfOperator,
): Promise<RuleRow | null> =>
  connection.maybeOne(sql.type(RuleRow)`
    select ${columns} from notification_rules r where r.id = ${ruleId} and r.operator_id = ${operatorId}`);

/** All of them, newest first. */
export const listRules = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<readonly RuleRow[]> =>
  connection.any(sql.type(RuleRow)`
    select ${columns} from notification_rules r where r.operator_id = ${operatorId} order by r.id desc`);

export const countRules = (connection: CommonQueryMethods, operatorId: OperatorId): Promise<number> =>
  connection.oneFirst(sql.type(Count)`select count(*) from notification_rules where operator_id = ${operatorId}`);

/** Keeps these destinations from being deleted until the transaction ends. */
export async function keepDestinations(
  connection: CommonQueryMethods,
  operatorId: OperatorId,
  ids: readonly string[],
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    select from destinations where operator_id = ${operatorId} and id = any(${textArray(ids)}) order by id for key share`);
}

export async function insertRule(
  connection: CommonQueryMethods,
  rule: { id: RuleId; operatorId: OperatorId; events: readonly string[]; minSeverity: string },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    insert into notification_rules (id, operator_id, events, min_severity)
    values (${rule.id}, ${rule.operatorId}, ${textArray(rule.events)}, ${rule.minSeverity})`);
}

/** A member that is undefined stays as it is. */
export async function saveRule(
  connection: CommonQueryMethods,
  ruleId: string,
  { events, minSeverity }: { events: readonly string[] | undefined; minSeverity: string | undefined },
): Promise<void> {
  await connection.query(sql.type(Nothing)`
    update notification_rules set events = coalesce(${events === undefined ? null : textArray(events)}, events),
      min_severity = coalesce(${minSeverity ?? null}, min_severity)
    where id = ${ruleId}`);
}

/** Gives a rule these destinations in place of those that it has; it is active from then on. */
export async function replaceDestinations(
  connection: CommonQueryMethods,
  ruleId: string,
  ids: readonly string[],
): Promise<void> {
  await connection.query(sql.type(Nothing)`delete from rule_destinations where rule_id = ${ruleId}`);
  await connection.query(sql.type(Nothing)`
    insert into rule_destinations (rule_id, destination_id, position)
    select ${ruleId}, id, position from unnest(${textArray(ids)}) with ordinality as named (id, position)`);
  await connection.query(
    sql.type(Nothing)`update notification_rules set active = true where id = ${ruleId} and not active`,
  );
}

export async function deleteRuleRow(connection: CommonQueryMethods, ruleId: string): Promise<void> {
  await connection.query(sql.type(Nothing)`delete from notification_rules where id = ${ruleId}`);
}
