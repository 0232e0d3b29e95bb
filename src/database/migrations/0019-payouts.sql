-- Payouts (decisions K42): once a month a statement of what a publisher has earned, and its transfer by the payment provider.

-- Where an operator's earnings are paid out to: its account at the payment provider.
alter table operators add column payout_account text
  constraint operators_payout_account check (payout_account ~ '^acct_[A-Za-z0-9]{1,64}$');

-- What payouts need to know of an operator, for those who are not of its domain.
create view payees as
  select id as operator_id, payout_account, commission_bps, status = 'active' as active from operators;

-- One row an operator and month: what was captured up to the month's end (UTC) and not paid out yet, what earlier months carried
-- over included. Commission is taken when it is paid out, so each cent is charged once. What becomes of it:
--   rolled_over      less than the minimum, or the operator is suspended: part of the next month's
--   pending_account  the operator has named no account: part of the next month's
--   due              waits for its transfer to begin; nothing has moved. Part of the next month's if it still waits then
--   transferring     gone from the earnings; what the provider says is not known yet
--   paid, failed     the provider's last word; failed: all of it is back in the earnings
create table payouts (
  id text primary key,
  operator_id text not null references operators,
  month text not null check (month ~ '^\d{4}-(0[1-9]|1[0-2])$'),
  gross_cents bigint not null check (gross_cents > 0),
  commission_cents bigint not null,
  net_cents bigint not null generated always as (gross_cents - commission_cents) stored,
  status text not null check (status in ('rolled_over', 'pending_account', 'due', 'transferring', 'paid', 'failed')),
  account text,                         -- as it was when the transfer began: a key at the provider stands for one request
  provider_transfer_id text,
  life_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  paid_at timestamptz,
  constraint payouts_month_key unique (operator_id, month),
  constraint payouts_commission check (commission_cents between 0 and gross_cents),
  constraint payouts_account check ((account is not null) = (status in ('transferring', 'paid', 'failed'))),
  constraint payouts_paid check ((status = 'paid') = (paid_at is not null) and (status = 'paid') = (provider_transfer_id is not null))
);
create index payouts_open on payouts (operator_id) where status in ('due', 'transferring');
-- What was captured since a moment.
create index transfers_captured on transfers (credit_account, created_at) where kind = 'invocation';

create function audit_payout() returns trigger language plpgsql as $$
begin
  insert into audit_events (operator_id, actor, action, target, detail)
    values (new.operator_id, 'service', 'payout.' || new.status, new.id,
      jsonb_build_object('month', new.month, 'gross_cents', new.gross_cents, 'net_cents', new.net_cents));
  return null;
end $$;
create trigger payout_begins after insert on payouts for each row execute function audit_payout();
create trigger payout_changes after update on payouts for each row when (old.status <> new.status) execute function audit_payout();

-- Makes the statements of a month for up to `p_limit` operators after `p_after`, and wakes the lives of those that are due. Without
-- `p_month` it is the month before this one. `last`: where to go on, null at the end. A month that was stated stays as it is.
create function open_payouts(p_month text, p_after text, p_limit int, p_commission_bps int, p_minimum_cents bigint,
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
    returning operator_id || ':' || payouts.month as id
  ) insert into life_messages (life, kind) select 'payout:' || id, 'carried' from carried;
  with earned as (
    select operator_id, payout_account, active, coalesce(commission_bps, p_commission_bps) as bps,
      posted_cents - (
        select coalesce(sum(amount_cents), 0) from transfers
        where kind = 'invocation' and credit_account = 'earnings:' || operator_id and created_at >= month_end) as gross
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
    insert into life_messages (life, kind) select 'payout:' || operator_id || ':' || of_month, 'due' from opening where status = 'due'
  )
  select count(*), count(*) filter (where status = 'due') into opened, due from opening;
end $$;

-- One step of the life of a payout, `op_…:YYYY-MM`: forgets the messages that woke it, and begins the transfer of what is due where
-- there is a provider to do it: from here on the money is no longer among the earnings. `gone`: there is no such row.
create function advance_payout(p_payout text, p_configured boolean) returns text language plpgsql as $$
declare p payouts; payee payees;
begin
  delete from life_messages where life = 'payout:' || p_payout;
  update payouts set life_seen_at = clock_timestamp()
    where operator_id = split_part(p_payout, ':', 1) and month = split_part(p_payout, ':', 2) returning * into p;
  if not found then return 'gone'; end if;
  if p.status <> 'due' or not p_configured then return p.status; end if;
  select * into strict payee from payees where operator_id = p.operator_id;
  if not payee.active then
    p.status := 'rolled_over';
  elsif payee.payout_account is null then
    p.status := 'pending_account';
  else
    update earnings set posted_cents = posted_cents - p.gross_cents where operator_id = p.operator_id;
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, description)
      select new_prefixed_id('txn'), 'earnings:' || p.operator_id, account, cents, kind, p.id, kind || ' of ' || p.month
      from (values ('payout', 'platform:payouts', p.net_cents), ('commission', 'platform:commission', p.commission_cents))
        as parts (kind, account, cents)
      where cents > 0;
    p.status := 'transferring';
    p.account := payee.payout_account;
  end if;
  update payouts set status = p.status, account = p.account where id = p.id;
  return p.status;
end $$;

-- The provider's last word on a transfer: its id there, or null where it was refused for good, and all of it goes back. Once.
create function settle_payout(p_payout text, p_provider_transfer text) returns void language plpgsql as $$
declare p payouts;
begin
  update payouts set status = case when p_provider_transfer is null then 'failed' else 'paid' end,
      provider_transfer_id = p_provider_transfer, paid_at = case when p_provider_transfer is not null then clock_timestamp() end
    where operator_id = split_part(p_payout, ':', 1) and month = split_part(p_payout, ':', 2) and status = 'transferring'
    returning * into p;
  if p.status is distinct from 'failed' then return; end if;
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, description)
    select new_prefixed_id('txn'), credit_account, debit_account, amount_cents, kind, cause || ':returned', description || ', returned'
    from transfers where kind in ('payout', 'commission') and cause = p.id;
  update earnings set posted_cents = posted_cents + p.gross_cents where operator_id = p.operator_id;
end $$;

-- Wakes the lives of payouts that seem to have none. A due one waits for a provider; a transferring one stamps its row at each try.
create function reconcile_payouts(p_configured boolean, out woken int) language sql as $$
  with missing as (
    select p.operator_id || ':' || p.month as id from payouts p
    where p.status in ('due', 'transferring')
      and ((p.life_seen_at is null and p.created_at < clock_timestamp() - interval '10 seconds')
        or (p.status = 'due' and p_configured and p.life_seen_at < clock_timestamp() - interval '1 minute')
        or (p.status = 'transferring' and p.life_seen_at < clock_timestamp() - interval '1 hour'))
      and not exists (select from life_messages m where m.life = 'payout:' || p.operator_id || ':' || p.month)
    limit 100
  ), waking as (insert into life_messages (life, kind) select 'payout:' || id, 'due' from missing returning 1)
  select count(*)::int from waking;
$$;
