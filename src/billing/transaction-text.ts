import { sql } from '../database/pool.ts';

/**
 * Rows of a wallet as JSON text, written by Postgres: read as columns, parsed and written again in Node, a page costs twice as much.
 * The schema that this text has is WalletTransactionSchema; the tests parse every answer by it, strictly.
 */

type Fragment = ReturnType<typeof sql.fragment>;

/** Meters whose debits come of model calls and machine runs. */
const sourced = sql.fragment`t.meter in ('sealed_execution', 'llm_gateway', 'l3')`;

/** Of the transfer `t`: what it adds to its wallet, in cents. */
export const signedCents = sql.fragment`(case when t.debit_account = 'wallet:' || t.wallet then -t.amount_cents else t.amount_cents end)`;

const from = sql.fragment`t.meter_from_cents * 1000000`;
const to = sql.fragment`(t.meter_from_cents + t.amount_cents) * 1000000`;

/**
 * Which charges of `table` overlap the debit `t` in the stream of its meter. Of those that begin before it only the last can reach
 * into it, so the index gives the range from that one on.
 */
const overlapping = (table: Fragment): Fragment => sql.fragment`
  c.operator_id = t.wallet and c.meter = t.meter and c.begins_microcents < ${to} and c.begins_microcents + c.microcents > ${from}
  and c.begins_microcents >= coalesce((
    select max(b.begins_microcents) from ${table} b
    where b.operator_id = t.wallet and b.meter = t.meter and b.begins_microcents <= ${from}), 0)`;

const share = sql.fragment`least(c.begins_microcents + c.microcents, ${to}) - greatest(c.begins_microcents, ${from})`;

/** What an id names, looked up by itself: joined, Postgres would read whole tables of names for a handful of sources. */
const skillText = (id: Fragment): Fragment => sql.fragment`coalesce((
  select '{"id":"' || s.id || '","name":' || to_json(s.name)::text || '}' from skill_names s where s.id = ${id}), 'null')`;
const agentText = (id: Fragment): Fragment => sql.fragment`coalesce((
  select '{"id":"' || a.id || '","name":' || to_json(a.name)::text || '}' from agent_names a where a.id = ${id}), 'null')`;
const invocationText = (id: Fragment): Fragment => sql.fragment`coalesce((
  select '{"id":"' || i.id || '","status":"' || i.status || '"}' from invocation_references i where i.id = ${id}), 'null')`;
const missionText = (id: Fragment): Fragment => sql.fragment`coalesce((
  select '{"id":"' || m.id || '","declared_intent":' || to_json(m.declared_intent)::text || '}' from mission_intents m where m.id = ${id}), 'null')`;
const idText = (id: Fragment): Fragment => sql.fragment`coalesce('"' || ${id} || '"', 'null')`;

const callsOfDebit = sql.fragment`
  select sum(${share}) as microcents, string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at)
      || '","operation":' || to_json(c.operation)::text || ',"declared_purpose":' || jcs_text(c.declared_purpose)
      || ',"provider":' || to_json(c.provider)::text || ',"model":' || to_json(c.model)::text
      || ',"prompt_tokens":' || c.prompt_tokens || ',"completion_tokens":' || c.completion_tokens || ',"total_tokens":' || c.total_tokens
      || ',"cached_prompt_tokens":' || coalesce(c.cached_prompt_tokens::text, 'null') || ',"streaming":' || c.streaming::text
      || ',"allocated_microcents":' || (${share})
      || ',"agent":' || ${agentText(sql.fragment`c.agent_id`)} || ',"mission":' || ${missionText(sql.fragment`c.mission_id`)}
      || ',"skill":' || ${skillText(sql.fragment`c.skill_id`)} || ',"invocation":' || ${invocationText(sql.fragment`c.invocation_id`)}
      || ',"sealed_step_index":' || coalesce(c.sealed_step_index::text, 'null') || '}', ',' order by c.begins_microcents) as texts
  from model_calls c where ${overlapping(sql.fragment`model_calls`)}`;

const runsOfDebit = sql.fragment`
  select sum(${share}) as microcents, string_agg('{"id":"' || c.id || '","created_at":"' || iso_time(c.created_at)
      || '","duration_ms":' || c.duration_ms || ',"allocated_microcents":' || (${share})
      || ',"skill":' || ${skillText(sql.fragment`c.skill_id`)} || ',"invocation":' || ${invocationText(sql.fragment`c.invocation_id`)}
      || ',"sealed_step_index":' || coalesce(c.sealed_step_index::text, 'null') || '}', ',' order by c.begins_microcents) as texts
  from machine_runs c where ${overlapping(sql.fragment`machine_runs`)}`;

/**
 * Sources at which a page ends. A machine run of a millisecond costs 2 microcents with its fee, so a cent may be thousands of them; of 300 to
 * 500 bytes each, a page is a megabyte, and more only where a single debit is.
 */
export const pageOfSources = sql.fragment`2000`;

/** How many sources the transfer `t` shows; what is beyond a page of them is not counted. */
export const sourcesCount = sql.fragment`
  case when ${sourced} then (select count(*) from (
    (select from model_calls c where ${overlapping(sql.fragment`model_calls`)} limit ${pageOfSources})
    union all (select from machine_runs c where ${overlapping(sql.fragment`machine_runs`)} limit ${pageOfSources})) sources) else 0 end`;

/** Nothing is inferred: a debit is recorded when its sources make up the whole of it (Billing §2.2 rule 3). */
const sourcesText = sql.fragment`(
  select ',"llm_sources":[' || coalesce(calls.texts, '') || '],"machine_sources":[' || coalesce(runs.texts, '')
    || '],"machine_cost_microcents":' || case when calls.texts is null and runs.texts is null then 'null' else coalesce(runs.microcents, 0)::text end
    || ',"source_status":"' || case when coalesce(calls.microcents, 0) + coalesce(runs.microcents, 0) = t.amount_cents * 1000000
      then 'recorded' else 'not_recorded' end || '"}'
  from (${callsOfDebit}) calls, (${runsOfDebit}) runs)`;

const noSourcesText = sql.fragment`',"llm_sources":[],"machine_sources":[],"machine_cost_microcents":null,"source_status":null}'`;

/** What has neither skill nor invocation nor sources says so without asking anybody. */
const detailsText = sql.fragment`
  case when ${sourced} or t.skill_id is not null or t.invocation_id is not null then (
    select '{"skill_id":' || ${idText(sql.fragment`t.skill_id`)} || ',"invocation_id":' || ${idText(sql.fragment`t.invocation_id`)}
      || ',"mission_id":' || ${idText(sql.fragment`i.mission_id`)} || ',"skill":' || ${skillText(sql.fragment`t.skill_id`)}
      || ',"invocation":' || coalesce('{"id":"' || i.id || '","status":"' || i.status || '"}', 'null')
      || ',"mission":' || case when i.mission_id is null then 'null' else ${missionText(sql.fragment`i.mission_id`)} end
      || case when ${sourced} then ${sourcesText} else ${noSourcesText} end
    from (select) one left join invocation_references i on i.id = t.invocation_id)
  else '{"skill_id":null,"invocation_id":null,"mission_id":null,"skill":null,"invocation":null,"mission":null' || ${noSourcesText} end`;

/** The transfer `t` as a WalletTransaction without its receipt, which is sealed: `receipt_url` is null. */
export const transactionText = sql.fragment`
  '{"id":"' || t.id || '","type":"' || t.kind || '","amount_cents":' || ${signedCents} || ',"meter":' || ${idText(sql.fragment`t.meter`)}
  || ',"description":' || to_json(t.description)::text || ',"created_at":"' || iso_time(t.created_at)
  || '","receipt_url":null,"details":' || ${detailsText} || '}'`;
