-- Makes the statements of a month for up to `p_limit` operators after `p_after`, and wakes the lives of those that are due. Without
-- `p_month` it is the month before this one. What was paid with top-ups of the last `p_age_days` waits for the next statement (decision B71). `last`: where to go
-- on, null at the end. A month that was stated stays as it is.
create function open_payouts(p_month text, p_after text, p_limit int, p_commission_bps int, p_minimum_cents bigint, p_age_days int,
  out month text, out last text, out opened int, out due int) language plpgsql as $$
#variable_conflict use_column
declare operators_here text[]; month_end timestamptz; of_month text;
begin
  perform pg_advisory_xact_lock(hashtext('open_payouts')); -- runs take turns
  of_month := coalesce(p_month, to_char(utc_month(clock_timestamp()) - interval '1 month', 'YYYY-MM'));
  month_end := ((of_month || '-01')::date + interval '1 month') at time zone 'UTC';
  month := of_month;
  select array_agg(operator_id), max(operator_id) into operators_here, last from (
    select operator_id from earnings where posted_cents > 0 and operator_id > p_after order by operator_id limit p_limit) page;
  -- Before the earnings are read, so that what is carried over here can no longer begin to move.
  with carried as (
    update payouts set status = 'rolled_over'
    where operator_id = any(operators_here) and status = 'due' and payouts.month < of_month
    returning operator_id, payouts.month
  ) insert into lives (life, owner, due_at)
    select 'payout:' || operator_id || ':' || carried.month, operator_id, clock_timestamp() + message_delay() from carried;
  with earned as (
    select operator_id, payout_account, active, coalesce(commission_bps, p_commission_bps) as bps,
      posted_cents - (
        select coalesce(sum(amount_cents), 0) from transfers
        where kind = 'invocation' and credit_account = 'earnings:' || operator_id and created_at >= month_end)
        - young_earnings(operator_id, p_age_days, month_end) as gross
    from earnings join payees using (operator_id)
    where operator_id = any(operators_here)
      and not exists (select from payouts p where p.operator_id = earnings.operator_id and p.month >= of_month)
  ), stated as (
    select *, div(gross * bps, 10000) as commission from earned where gross > 0
  ), opening as (
    insert into payouts (id, operator_id, month, gross_cents, commission_cents, status)
    select new_prefixed_id('pyt'), operator_id, of_month, gross, commission,
      case when not active or gross - commission < p_minimum_cents then 'rolled_over'
        when payout_account is null then 'pending_account' else 'due' end
    from stated
    returning operator_id, status
  ), waking as (
    insert into lives (life, owner, due_at)
      select 'payout:' || operator_id || ':' || of_month, operator_id, clock_timestamp() + message_delay() from opening where status = 'due'
  )
  select count(*), count(*) filter (where status = 'due') into opened, due from opening;
end $$;
