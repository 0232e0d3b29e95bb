import { sql } from '../../database/pool.ts';

/**
 * Rows of a wallet as JSON text, written by Postgres: to read columns, parse them and write them again in Node costs
 * twice as much a page. The text follows WalletTransactionSchema; the tests parse every answer strictly with it.
 */

type Fragment = ReturnType<typeof sql.fragment>;

/** Whether the debits of the meter come from model calls and machine runs. */
const sourced = sql.fragment`t.meter in ('sealed_execution', 'llm_gateway', 'l3')`;

/** The amount that the transfer `t` adds to its wallet, in cents. */
export const signedCents = sql.fragment`(case when t.debit_account = 'wallet:' || t.wallet then -t.amount_cents else t.amount_cents end)`;

/** Looked up id by id: with a join, Postgres would read whole tables of names for a handful of sources. */
const skillText = (id: Fragment): Fragment => sql.fragment`coalesce((
  select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = ${id}), 'null')`;
const missionText = (id: Fragment): Fragment => sql.fragment`coalesce((
  select '{"id":"' || m.id || '","declared_intent":' || to_json(m.declared_intent)::text || '}' from mission_intents m where m.id = ${id}), 'null')`;
const idText = (id: Fragment): Fragment => sql.fragment`coalesce('"' || ${id} || '"', 'null')`;

/**
 * Sources of either kind that a row shows. A machine run of a millisecond costs 2 microcents with its fee, so a cent may
 * have many thousand, which are read page by page.
 */
const shownSources = sql.fragment`200`;

/** Number of sources at which a page ends. They take 300 to 500 bytes each, so a page is about a megabyte. */
export const pageOfSources = sql.fragment`2000`;

/** How many sources the transfer `t` shows. */
export const sourcesCount = sql.fragment`
  case when ${sourced} then count_debit_sources(t.wallet, t.meter, t.meter_from_cents, t.amount_cents, ${shownSources}) else 0 end`;

/** A function of its own: as a part of the page's query it would be set up for every page, with sources or without. */
const sourcesText = sql.fragment`debit_sources_text(t.wallet, t.meter, t.meter_from_cents, t.amount_cents, ${shownSources})`;

const noSourcesText = sql.fragment`',"llm_sources":[],"machine_sources":[],"source_count":0,"machine_cost_microcents":null,"source_status":null}'`;

/** Whether the transfer `t` may be for a top-up, a refund or a dispute; each look-up costs, so others have none. */
export const hasReason = sql.fragment`t.kind in ('topup', 'refund', 'adjustment')`;

const reasonText = sql.fragment`
  case when ${hasReason} then (
    select ',"top_up":' || coalesce('{"id":"' || r.top_up || '","transaction_id":' || ${idText(sql.fragment`r.credit`)} || '}', 'null')
      || ',"refund_id":' || ${idText(sql.fragment`r.refund`)}
      || ',"dispute":' || coalesce('{"id":' || to_json(r.dispute)::text || ',"status":' || to_json(r.dispute_status)::text || '}', 'null')
    from reason_of(t.kind, t.cause) r)
  else ',"top_up":null,"refund_id":null,"dispute":null' end`;

/** A row without skill, invocation and sources needs no lookup of them. */
const detailsText = sql.fragment`
  case when ${sourced} or t.skill_id is not null or t.invocation_id is not null then (
    select '{"skill_id":' || ${idText(sql.fragment`t.skill_id`)} || ',"invocation_id":' || ${idText(sql.fragment`t.invocation_id`)}
      || ',"mission_id":' || ${idText(sql.fragment`i.mission_id`)} || ',"skill":' || ${skillText(sql.fragment`t.skill_id`)}
      || ',"invocation":' || coalesce('{"id":"' || i.id || '","status":"' || i.status || '"}', 'null')
      || ',"mission":' || case when i.mission_id is null then 'null' else ${missionText(sql.fragment`i.mission_id`)} end || ${reasonText}
      || case when ${sourced} then ${sourcesText} else ${noSourcesText} end
    from (select) one left join invocation_references i on i.id = t.invocation_id)
  else '{"skill_id":null,"invocation_id":null,"mission_id":null,"skill":null,"invocation":null,"mission":null' || ${reasonText} || ${noSourcesText} end`;

/** The transfer `t` as a WalletTransaction without its receipt, which is sealed: `receipt_url` is null. */
export const transactionText = sql.fragment`
  '{"id":"' || t.id || '","type":"' || t.kind || '","amount_cents":' || ${signedCents} || ',"balance_after_cents":' || coalesce(t.balance_after_cents::text, 'null') || ',"meter":' || ${idText(sql.fragment`t.meter`)}
  || ',"description":' || to_json(t.description)::text || ',"created_at":"' || iso_time(t.created_at)
  || '","receipt_url":null,"details":' || ${detailsText} || '}'`;
