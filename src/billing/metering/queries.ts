import { z } from 'zod';
import { sql, type CommonQueryMethods } from '../../database/pool.ts';
import type { OperatorId } from '../../ids/ids.ts';
import type { Allowance, Usage } from './schema.ts';

const Meter = z.object({ meter: z.string(), used: z.number(), included: z.number().nullable(), overage: z.number() });

const UsageRow = z.object({
  tier: z.string(),
  period_start: z.string(),
  period_end: z.string(),
  month_start: z.string(),
  month_end: z.string(),
  passports: z.number(),
  invocations: z.number(),
  agents: z.number(),
  published_skills: z.number(),
  meters: z.array(Meter),
  included: z.number().nullable(),
  purchased: z.number(),
  total: z.number().nullable(),
  ceiling: z.number().nullable(),
  in_use: z.number(),
  stored: z.number(),
  storage: z.number().nullable(),
});

/**
 * Reads what an operator used this month and what it has now. Read from counters and from what exists, so the query does not
 * grow with a month's work. One statement, so all numbers are of one month and one tier.
 */
export async function readUsage(connection: CommonQueryMethods, operatorId: OperatorId): Promise<Usage> {
  const row = await connection.one(sql.type(UsageRow)`
    with mine as (
      select *, utc_month(clock_timestamp()) as month from operator_tiers where operator_id = ${operatorId}
    ), counted as (
      select c.* from mine join usage_counters c on c.operator_id = mine.operator_id and c.month = mine.month
    )
    select mine.tier, period_start, period_end,
      mine.month::timestamp at time zone 'UTC' as month_start, (mine.month + interval '1 month') at time zone 'UTC' as month_end,
      (select coalesce(sum(passports), 0)::bigint from counted) as passports,
      (select coalesce(sum(invocations), 0)::bigint from counted) as invocations,
      count_agents(mine.operator_id) as agents,
      (select count(*) from published_skills s where s.operator_id = mine.operator_id) as published_skills,
      (select json_agg(json_build_object('meter', m.meter, 'used', coalesce(c.used, 0), 'included', m.included, 'overage', coalesce(c.overage, 0)))
        from (values ('metered_action', mine.metered_actions), ('l3', mine.l3_classifications), ('sms', mine.sms), ('email', mine.email))
          as m (meter, included)
        left join counted c on c.meter = m.meter) as meters,
      coalesce((select bytes from operator_storage s where s.operator_id = mine.operator_id), 0)::bigint as stored, mine.storage_bytes as storage,
      seats.*
    from mine, billing_period_of(mine.operator_id), seats_of(mine.operator_id) as seats`);
  const allowance = (name: string): Allowance => {
    const { used = 0, included = null, overage = 0 } = row.meters.find(({ meter }) => meter === name) ?? {};
    return { used, included, overage };
  };
  return {
    tier: row.tier,
    billing_period: { start: row.period_start, end: row.period_end },
    allowance_period: { start: row.month_start, end: row.month_end },
    usage: {
      passports: row.passports,
      agents: row.agents,
      drop_offs: 0, // part of the published shape; nothing in Carnet makes one
      skill_invocations: row.invocations,
      published_skills: row.published_skills,
    },
    allowances: {
      metered_actions: allowance('metered_action'),
      l3_classifications: allowance('l3'),
      sms: allowance('sms'),
      email: allowance('email'),
    },
    seats: {
      included_seats: row.included,
      purchased_seats: row.purchased,
      total_seats: row.total,
      seat_ceiling: row.ceiling,
      seats_in_use: row.in_use,
    },
    storage: { used_bytes: row.stored, included_bytes: row.storage },
  };
}
