import { sql } from '../../database/pool.ts';
import type { StatementForm } from './queries.ts';
import { hasReason, signedCents } from './transaction-text.ts';

export const CSV = 'text/csv';

/**
 * Rows of one answer without `limit`, about 400 KB. The Link header leads to the rest.
 */
export const CSV_ROWS = 2_000;

const COLUMNS = [
  'id',
  'type',
  'amount_cents',
  'meter',
  'description',
  'created_at',
  'skill_id',
  'skill_name',
  'invocation_id',
  'invocation_status',
  'mission_id',
  'mission_declared_intent',
  'balance_after_cents',
  'top_up_id',
  'refund_id',
  'dispute_id',
];

/** RFC 4180 ends every record with this, the header as well. */
export const RECORD_END = '\r\n';
export const CSV_HEADER = COLUMNS.join(',') + RECORD_END;

/**
 * The transfer `t` as a record of CSV_HEADER. csv_text() quotes texts that people wrote, and keeps spreadsheets from
 * running them.
 */
const transactionRecord = sql.fragment`(
  select concat_ws(',', t.id, t.kind, ${signedCents}::text, coalesce(t.meter, ''), csv_text(t.description), iso_time(t.created_at),
    coalesce(t.skill_id, ''), csv_text(s.name), coalesce(t.invocation_id, ''), coalesce(i.status, ''),
    coalesce(i.mission_id, ''), csv_text(m.declared_intent),
    coalesce(t.balance_after_cents::text, ''), coalesce(r.top_up, ''), coalesce(r.refund, ''), csv_text(r.dispute))
  from (select) one
    left join invocation_references i on i.id = t.invocation_id
    left join skill_names s on s.id = t.skill_id
    left join mission_intents m on m.id = i.mission_id
    left join lateral reason_of(t.kind, t.cause) r on ${hasReason})`;

export const CSV_FORM: StatementForm = {
  text: transactionRecord,
  separator: RECORD_END,
  sources: sql.fragment`0`,
  remainders: false,
};
