-- Payments (Billing §4.1, decisions B6-B10): who we are to the payment provider, top-ups, refunds, what its webhooks said. Money moves
-- here alone; whichever of webhook and life hears of a payment first settles it, and the other finds it done.

-- One a provider: a database that was tried with the local page holds nothing that Stripe knows.
create table payment_customers (
  operator_id text not null references operators,
  provider text not null check (provider in ('stripe', 'local')),
  customer_id text not null,
  created_at timestamptz not null default clock_timestamp(),
  primary key (operator_id, provider)
);

-- What webhooks said, each event once (decisions B7). Nothing hangs on a row: it tells a person what became of an event.
create table payment_events (
  id text primary key,                  -- the provider's
  type text not null,
  created_at timestamptz not null,      -- by the provider's clock
  received_at timestamptz not null default clock_timestamp(),
  subject text,                         -- top_…, rfd_…, or what the provider calls it
  outcome text not null
);
create index payment_events_age on payment_events (received_at);

create table top_ups (
  id text primary key,
  operator_id text not null references operators,
  provider text not null check (provider in ('stripe', 'local')),
  amount_cents bigint not null check (amount_cents between 1000 and 1000000),
  -- opening: the provider is asked for a checkout. open: it can be paid. processing: it was paid in a way that takes days.
  -- refused: the provider would not. differs: it was paid, but not what was asked for; a person must look.
  status text not null default 'opening'
    check (status in ('opening', 'open', 'processing', 'paid', 'failed', 'expired', 'refused', 'differs')),
  session_id text constraint top_ups_session unique,
  checkout_url text,                    -- sealed; while it can be paid
  payment_id text constraint top_ups_payment unique,
  transaction_id text unique,           -- the credit
  receipt_url text,                     -- sealed; of a paid one that the provider has a receipt for
  receipt_sought boolean not null default false,
  expires_at timestamptz not null,      -- of the checkout
  ask_at timestamptz,                   -- when the provider is asked what became of it
  settled_at timestamptz,
  life_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint top_ups_url check ((checkout_url is not null) = (status = 'open')),
  constraint top_ups_asked check ((ask_at is not null) = (status in ('open', 'processing'))),
  constraint top_ups_credit check ((transaction_id is not null) = (status = 'paid')),
  constraint top_ups_paid check (status <> 'paid' or (session_id is not null and payment_id is not null and settled_at is not null))
) with (fillfactor = 70);
create index top_ups_open on top_ups (created_at) where status in ('opening', 'open', 'processing');

create table refunds (
  id text primary key,
  operator_id text not null references operators,
  top_up_id text not null references top_ups,
  transaction_id text not null,         -- what is refunded
  amount_cents bigint not null check (amount_cents > 0),
  attempt int not null,                 -- of the transaction: a provider answers a key it refused with the same refusal for ever
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  provider_refund_id text unique,
  ask_at timestamptz,                   -- when the provider is asked, first or again
  settled_at timestamptz,
  life_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  unique (transaction_id, attempt),
  constraint refunds_asked check ((ask_at is not null) = (status = 'pending')),
  constraint refunds_settled check ((settled_at is null) = (status = 'pending'))
) with (fillfactor = 70);
create unique index refunds_one on refunds (transaction_id) where status <> 'failed';
create index refunds_of_top_up on refunds (top_up_id);
create index refunds_open on refunds (created_at) where status = 'pending';

-- How much of a payment went back, ours and what was refunded at the provider, whether or not we know the payment yet; and how much
-- of it was taken from the wallet for refunds that were not ours.
create table refunded_payments (
  payment_id text primary key,
  refunded_cents bigint not null check (refunded_cents >= 0),
  charged_back_cents bigint not null default 0 check (charged_back_cents >= 0),
  -- When a refund of ours last came back from the bank, by the provider's clock: a sum told of before counts it, and is no longer true.
  came_back_at timestamptz
);

create table disputes (
  id text primary key,                  -- the provider's
  payment_id text not null,
  amount_cents bigint not null check (amount_cents > 0),
  status text not null check (status in ('opened', 'won', 'lost')),
  charged boolean not null default false,   -- taken from the wallet
  returned boolean not null default false,  -- and given back
  created_at timestamptz not null default clock_timestamp(),
  constraint disputes_returned check (charged or not returned)
);
create index disputes_of_payment on disputes (payment_id);

-- A receivable whose dispute was won is cancelled: what is not paid of it is not owed.
alter table receivables drop constraint receivables_amount_cents_check;
alter table receivables add constraint receivables_amount check (amount_cents >= 0);

-- When the provider is asked again: soon at first, in the end once a day.
create function ask_again_at(p_since timestamptz) returns timestamptz language sql volatile as $$
  select clock_timestamp() + least(greatest((clock_timestamp() - p_since) / 4, interval '1 minute'), interval '1 day');
$$;

create function audit_payment(p_operator text, p_action text, p_target text, p_detail jsonb, p_request text) returns void language sql as $$
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
  values (p_operator, 'service', p_action, p_target, p_detail, p_request);
$$;

-- Gives back what charge_back() took for `p_cause`, and cancels what is still owed of it.
create function return_charge_back(p_operator text, p_cause text, p_description text) returns void language plpgsql as $$
declare taken bigint; owed receivables;
begin
  perform from wallets where operator_id = p_operator for no key update;
  select amount_cents into taken from transfers where kind = 'adjustment' and cause = p_cause;
  select * into owed from receivables where id = p_cause for no key update;
  update receivables set amount_cents = paid_cents where id = p_cause;
  update wallets set receivable_cents = receivable_cents - coalesce(owed.amount_cents - owed.paid_cents, 0) where operator_id = p_operator;
  taken := coalesce(taken, 0) + coalesce(owed.paid_cents, 0);
  if taken > 0 then
    perform credit_wallet(new_prefixed_id('txn'), p_operator, taken, 'platform:payments', 'adjustment', 'returned:' || p_cause, p_description);
  end if;
end $$;

-- Brings the wallet in line with what is known of a payment that we credited: refunds that were not ours (decisions B10) and disputes.
-- The caller holds the row of the top-up.
create function take_reversals(t top_ups) returns void language plpgsql as $$
declare r refunded_payments; d disputes; ours bigint; outside bigint;
begin
  select * into r from refunded_payments where payment_id = t.payment_id for no key update;
  if found then
    select coalesce(sum(amount_cents), 0) into ours from refunds where top_up_id = t.id and status in ('pending', 'succeeded');
    outside := least(r.refunded_cents, t.amount_cents) - ours;
    if outside > r.charged_back_cents then
      perform charge_back(t.operator_id, outside - r.charged_back_cents, 'refunded:' || t.payment_id || ':' || outside,
        'Refunded by the payment provider');
      update refunded_payments set charged_back_cents = outside where payment_id = t.payment_id;
    end if;
  end if;
  for d in select * from disputes where payment_id = t.payment_id order by id for no key update loop
    if not d.charged and d.status in ('opened', 'lost') then
      perform charge_back(t.operator_id, d.amount_cents, d.id, 'Disputed payment');
      update disputes set charged = true where id = d.id;
    elsif d.charged and not d.returned and d.status = 'won' then
      perform return_charge_back(t.operator_id, d.id, 'Dispute won');
      update disputes set returned = true where id = d.id;
    end if;
  end loop;
end $$;

-- Facts of one payment take turns, taken before any row: of a credit and a dispute at once, neither would see the other, and the wallet
-- would keep what the bank took back.
create function lock_payment(p_payment text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('payment:' || p_payment, 0)) where p_payment is not null;
$$;

-- What a fact did, whose wallet it concerned, and which life has something to do since.
create type payment_effect as (outcome text, operator_id text, life text);

-- What became of a checkout of a top-up, by webhook or because the provider was asked; any order, any number of times. Credits once,
-- and only what was asked for (decisions B7): whatever had become of the row before, money that came in is the operator's.
create function settle_top_up(
  p_top_up text, p_outcome text, p_session text, p_amount bigint, p_currency text, p_payment text, p_request text
) returns payment_effect language plpgsql as $$
declare t top_ups; transfer text;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where id = p_top_up for no key update;
  if not found then return row('unknown', null, null)::payment_effect; end if;
  if p_session <> t.session_id or exists (
      select from top_ups where id <> t.id and (session_id = p_session or (p_outcome = 'paid' and payment_id = p_payment))) then
    return top_up_differs(t, 'session', p_session, p_amount, p_currency, p_request);
  end if;
  if t.status = 'paid' then return row('repeated', t.operator_id, null)::payment_effect; end if;
  if p_outcome = 'paid' then
    if p_amount is distinct from t.amount_cents or p_currency is distinct from 'usd' or p_payment is null then
      return top_up_differs(t, 'amount', p_session, p_amount, p_currency, p_request);
    end if;
    transfer := credit_wallet(new_prefixed_id('txn'), t.operator_id, t.amount_cents, 'platform:payments', 'topup', t.id, 'Top-up');
    update top_ups set status = 'paid', session_id = p_session, payment_id = p_payment, transaction_id = transfer, checkout_url = null,
        ask_at = null, settled_at = clock_timestamp()
      where id = t.id returning * into t;
    perform audit_payment(t.operator_id, 'top_up.paid', t.id, jsonb_build_object('transaction_id', transfer, 'amount_cents', t.amount_cents),
      p_request);
    perform take_reversals(t);
  elsif (p_outcome = 'processing' and t.status in ('opening', 'open', 'expired'))
      or (p_outcome = 'failed' and t.status in ('opening', 'open', 'processing'))
      or (p_outcome = 'expired' and t.status in ('opening', 'open')) then
    update top_ups set status = p_outcome, session_id = p_session, checkout_url = null,
        ask_at = case when p_outcome = 'processing' then ask_again_at(clock_timestamp()) end
      where id = t.id;
    perform audit_payment(t.operator_id, 'top_up.' || p_outcome, t.id, '{}', p_request);
  else
    return row('repeated', t.operator_id, null)::payment_effect;
  end if;
  return row(p_outcome, t.operator_id, 'top-up:' || t.id)::payment_effect;
end $$;

-- Somebody paid, but not what was asked for: nothing is credited, and a person finds it in the audit trail.
create function top_up_differs(t top_ups, p_what text, p_session text, p_amount bigint, p_currency text, p_request text)
returns payment_effect language plpgsql as $$
begin
  perform audit_payment(t.operator_id, 'top_up.differs', t.id, jsonb_build_object('differs', p_what, 'expected_cents', t.amount_cents,
    'amount_cents', p_amount, 'currency', p_currency), p_request);
  return row('differs', t.operator_id, null)::payment_effect;
end $$;

-- Some of a payment went back; the sum so far, at a time of the provider's clock. Also before the payment itself is known.
create function record_refunded(p_payment text, p_refunded bigint, p_at timestamptz) returns payment_effect language plpgsql as $$
declare t top_ups;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where payment_id = p_payment for no key update;
  insert into refunded_payments as r (payment_id, refunded_cents) values (p_payment, p_refunded)
    on conflict (payment_id) do update set refunded_cents = greatest(r.refunded_cents, excluded.refunded_cents)
      where r.came_back_at is null or p_at > r.came_back_at;
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  perform take_reversals(t);
  return row('refunded', t.operator_id, null)::payment_effect;
end $$;

-- A dispute as it was when the event was made; what it ended as stays.
create function record_dispute(p_dispute text, p_payment text, p_amount bigint, p_status text, p_request text)
returns payment_effect language plpgsql as $$
declare t top_ups;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where payment_id = p_payment for no key update;
  insert into disputes as d (id, payment_id, amount_cents, status) values (p_dispute, p_payment, p_amount, p_status)
    on conflict (id) do update set status = excluded.status where d.status = 'opened';
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  perform audit_payment(t.operator_id, 'dispute.' || p_status, t.id, jsonb_build_object('amount_cents', p_amount), p_request);
  perform take_reversals(t);
  return row(p_status, t.operator_id, null)::payment_effect;
end $$;

-- Begins a refund of a top-up: holds its whole amount, which its life gives back at the provider (decisions B9). Returns the cents.
create function begin_refund(p_refund text, p_hold text, p_operator text, p_transaction text, p_provider text)
returns bigint language plpgsql as $$
declare credit transfers; t top_ups; w wallets; tries int;
begin
  select * into credit from transfers where id = p_transaction and wallet = p_operator;
  if not found then perform refuse('NOT_FOUND', 'There is no such transaction, or this credential may not see it.'); end if;
  if credit.kind <> 'topup' then
    perform refuse('NOT_REFUNDABLE', format('This is a transaction of type %s; only a top-up can be refunded.', credit.kind));
  end if;
  select * into strict t from top_ups where transaction_id = p_transaction for no key update;
  if t.provider <> p_provider then
    perform refuse('NOT_REFUNDABLE', 'This top-up was paid through another payment provider than the one in use; ask us to refund it.');
  end if;
  if exists (select from disputes where payment_id = t.payment_id and status <> 'won') then
    perform refuse('NOT_REFUNDABLE', 'The payment of this top-up is disputed at your bank, which decides about the money.');
  end if;
  if credit.created_at <= clock_timestamp() - interval '30 days' then
    perform refuse('REFUND_WINDOW_EXPIRED', format('A top-up can be refunded for 30 days; this one is of %s.', iso_time(credit.created_at)));
  end if;
  if exists (select from refunds where transaction_id = p_transaction and status <> 'failed')
      or exists (select from refunded_payments where payment_id = t.payment_id and charged_back_cents > 0) then
    perform refuse('ALREADY_REFUNDED', 'This top-up was refunded already, or its refund is under way.');
  end if;
  select * into strict w from wallets where operator_id = p_operator for no key update;
  if w.posted_cents - w.held_cents < t.amount_cents or w.receivable_cents > 0 then
    perform refuse('BALANCE_BELOW_TOPUP',
      format('A top-up is refunded as a whole: this one is of %s cents, and the wallet has %s cents available.', t.amount_cents,
        w.posted_cents - w.held_cents),
      json_build_object('required_cents', t.amount_cents, 'balance_cents', w.posted_cents - w.held_cents));
  end if;
  select count(*) into tries from refunds where transaction_id = p_transaction;
  insert into refunds (id, operator_id, top_up_id, transaction_id, amount_cents, attempt, ask_at)
    values (p_refund, p_operator, t.id, p_transaction, t.amount_cents, tries + 1, clock_timestamp());
  perform hold_wallet(p_hold, p_operator, t.amount_cents, p_refund);
  return t.amount_cents;
end $$;

-- What became of a refund of ours. One that succeeded can still fail when the bank sends it back: the wallet gets it again. `p_at`: of the
-- event, by the provider's clock; null where the provider was asked.
create function settle_refund(p_refund text, p_provider_refund text, p_status text, p_at timestamptz, p_request text)
returns payment_effect language plpgsql as $$
declare t top_ups; r refunds; was text;
begin
  select * into t from top_ups where id = (select top_up_id from refunds where id = p_refund) for no key update;
  select * into strict r from refunds where id = p_refund for no key update;
  was := r.status;
  if was = p_status and was <> 'pending' or was = 'failed' or (was = 'succeeded' and p_status <> 'failed') then
    return row('repeated', r.operator_id, null)::payment_effect;
  end if;
  update refunds set status = p_status, provider_refund_id = coalesce(provider_refund_id, p_provider_refund),
      ask_at = case when p_status = 'pending' then ask_again_at(created_at) end,
      settled_at = case when p_status <> 'pending' then clock_timestamp() end
    where id = r.id returning * into r;
  if p_status = 'pending' then return row('pending', r.operator_id, null)::payment_effect; end if;
  if p_status = 'succeeded' then
    perform capture_hold_to(r.id, new_prefixed_id('txn'), 'platform:payments', 'refund', 'Refund of a top-up');
  else
    -- The provider no longer counts what it could not give back; one that it refused was never counted.
    if r.provider_refund_id is not null then
      insert into refunded_payments as p (payment_id, refunded_cents, came_back_at) values (t.payment_id, 0, p_at)
        on conflict (payment_id) do update set refunded_cents = greatest(0, p.refunded_cents - r.amount_cents),
          came_back_at = greatest(p.came_back_at, excluded.came_back_at);
    end if;
    if was = 'succeeded' then
      perform credit_wallet(new_prefixed_id('txn'), r.operator_id, r.amount_cents, 'platform:payments', 'adjustment', 'unrefunded:' || r.id,
        'A refund came back');
    else
      perform release_hold(r.id);
    end if;
    perform take_reversals(t);
  end if;
  perform audit_payment(r.operator_id, 'refund.' || p_status, r.id,
    jsonb_build_object('transaction_id', r.transaction_id, 'amount_cents', r.amount_cents), p_request);
  return row(p_status, r.operator_id, 'refund:' || r.id)::payment_effect;
end $$;

-- A provider says that a refund has an outcome. One whose id we do not know yet may be the one that is asked for right now; one that was
-- not ours and failed, after the wallet has paid it, is for a person to give back.
create function record_refund(p_provider_refund text, p_payment text, p_status text, p_at timestamptz, p_request text)
returns payment_effect language plpgsql as $$
declare known text; r refunds;
begin
  select id into known from refunds where provider_refund_id = p_provider_refund;
  if found then return settle_refund(known, p_provider_refund, p_status, p_at, p_request); end if;
  update refunds set ask_at = clock_timestamp()
    where status = 'pending' and provider_refund_id is null and top_up_id = (select id from top_ups where payment_id = p_payment)
    returning * into r;
  if not found then
    return row(case when p_status = 'failed' and exists (
        select from refunded_payments where payment_id = p_payment and charged_back_cents > 0) then 'came_back' else 'not_ours' end,
      null, null)::payment_effect;
  end if;
  return row('asked', r.operator_id, 'refund:' || r.id)::payment_effect;
end $$;

-- What a life does next: `open` a checkout, `ask` the provider, seek the `receipt`, `wait`, or nothing, since it is over.
create type payment_step as (status text, action text, wait_ms bigint, until text);

create function payment_wait(p_until timestamptz) returns bigint language sql volatile as $$
  select greatest(1000, ceil(extract(epoch from p_until - clock_timestamp()) * 1000)::bigint);
$$;

-- One step of the life of a top-up. The time to pay begins when the life does: before, there was nobody to open the page.
create function advance_top_up(p_top_up text) returns payment_step language plpgsql as $$
declare t top_ups;
begin
  delete from life_messages where life = 'top-up:' || p_top_up;
  update top_ups set life_seen_at = clock_timestamp(),
      expires_at = case when life_seen_at is null and expires_at > clock_timestamp()
        then clock_timestamp() + (expires_at - created_at) else expires_at end,
      status = case when status = 'opening' and expires_at <= clock_timestamp() then 'expired' else status end
    where id = p_top_up returning * into t;
  if not found then return row('gone', 'end', null, null)::payment_step; end if;
  if t.status = 'opening' then return row(t.status, 'open', payment_wait(t.expires_at), iso_time(t.expires_at))::payment_step; end if;
  if t.ask_at <= clock_timestamp() then return row(t.status, 'ask', null, iso_time(t.ask_at))::payment_step; end if;
  if t.ask_at is not null then return row(t.status, 'wait', payment_wait(t.ask_at), iso_time(t.ask_at))::payment_step; end if;
  if t.status = 'paid' and not t.receipt_sought and t.settled_at > clock_timestamp() - interval '1 day' then
    return row(t.status, 'receipt', payment_wait(t.settled_at + interval '1 day'), null)::payment_step;
  end if;
  return row(t.status, 'end', null, null)::payment_step;
end $$;

create function advance_refund(p_refund text) returns payment_step language plpgsql as $$
declare r refunds;
begin
  delete from life_messages where life = 'refund:' || p_refund;
  update refunds set life_seen_at = clock_timestamp() where id = p_refund returning * into r;
  if not found then return row('gone', 'end', null, null)::payment_step; end if;
  if r.ask_at is null then return row(r.status, 'end', null, null)::payment_step; end if;
  return row(r.status, case when r.ask_at <= clock_timestamp() then 'ask' else 'wait' end, payment_wait(r.ask_at),
    iso_time(r.ask_at))::payment_step;
end $$;

-- Wakes the lives of top-ups that seem to have none, and forgets events of a quarter of a year. Waking counts as seeing: a run that
-- asks a provider who is away again and again is not woken at every look.
create function reconcile_top_ups(out woken int, out forgotten int) language plpgsql as $$
begin
  with missing as (
    update top_ups t set life_seen_at = case when life_seen_at is not null then clock_timestamp() end
    where id = any(array(
      select id from top_ups m where status in ('opening', 'open', 'processing')
        and ((life_seen_at is null and created_at < clock_timestamp() - interval '10 seconds')
          or (coalesce(ask_at, expires_at) < clock_timestamp() - interval '1 minute'
            and life_seen_at < clock_timestamp() - interval '10 minutes'))
        and not exists (select from life_messages l where l.life = 'top-up:' || m.id)
      limit 100 for update skip locked))
    returning id
  ), waking as (insert into life_messages (life, kind) select 'top-up:' || id, 'reconciled' from missing returning 1)
  select count(*) into woken from waking;
  with old as (
    delete from payment_events where ctid = any(array(
      select ctid from payment_events where received_at < now() - interval '90 days'
      order by received_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;

create function reconcile_refunds() returns int language plpgsql as $$
declare woken int;
begin
  with missing as (
    update refunds set life_seen_at = case when life_seen_at is not null then clock_timestamp() end
    where id = any(array(
      select id from refunds m where status = 'pending'
        and ((life_seen_at is null and created_at < clock_timestamp() - interval '10 seconds')
          or (ask_at < clock_timestamp() - interval '1 minute' and life_seen_at < clock_timestamp() - interval '10 minutes'))
        and not exists (select from life_messages l where l.life = 'refund:' || m.id)
      limit 100 for update skip locked))
    returning id
  ), waking as (insert into life_messages (life, kind) select 'refund:' || id, 'reconciled' from missing returning 1)
  select count(*) into woken from waking;
  return woken;
end $$;
