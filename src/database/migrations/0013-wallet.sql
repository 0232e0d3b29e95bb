-- What billing needs of the wallet beyond a balance: tiers, the place of a debit in the stream of its meter, what a chargeback
-- could not take back, and answers that wait for an outside effect.

-- What a tier allows (Billing §8); null: without limit. `rank` orders them: a change to a higher one is an upgrade.
create table tiers (
  name text primary key,
  rank int not null unique,
  metered_actions bigint,               -- a UTC month
  seats int,                            -- that come with it, owner included
  seat_ceiling int,                     -- with bought ones
  audit_retention interval not null,
  l3_classifications bigint,            -- a UTC month, as the two below
  sms bigint,
  email bigint
);
insert into tiers values
  ('free', 0, 25000, 2, 2, '7 days', 0, 0, 100),
  ('developer', 1, 250000, 3, 5, '30 days', 2000, 10, 1000),
  ('pro', 2, 1500000, 5, 10, '12 months', 10000, 50, 5000),
  ('business', 3, 10000000, 25, null, '24 months', 25000, 250, 10000),
  ('enterprise', 4, null, null, null, '12 months', null, null, null);
alter table operators add constraint operators_tier_known foreign key (tier) references tiers (name);

alter table wallets
  -- What chargebacks took that the wallet did not have (decisions B10): while there is some, nothing is debited or held, and the
  -- next credit pays it first.
  add column receivable_cents bigint not null default 0 constraint wallets_receivable check (receivable_cents >= 0),
  -- Of the newest model call on the wallet's timeline; with last_position it is the snapshot of a page (decisions B18).
  add column last_call bigint not null default 0;

-- Cents [meter_from_cents, meter_from_cents + amount_cents) of everything its meter has debited from this wallet: which charges a
-- debit stands for follows from their places in the same stream, first in, first out (decisions §4 "Money units").
alter table transfers add column meter_from_cents bigint;
update transfers t set meter_from_cents = before.cents
  from (select id, sum(amount_cents) over (partition by wallet, meter order by position) - amount_cents as cents
    from transfers where meter is not null) before
  where before.id = t.id;
alter table transfers add constraint transfers_place_in_meter check ((meter is null) = (meter_from_cents is null));
create index transfers_of_meter on transfers (wallet, meter, position) where meter is not null;

alter table transfers drop constraint transfers_kind_check;
alter table transfers add constraint transfers_kind_check check (kind in
  ('topup', 'refund', 'invocation', 'compute', 'identity', 'overage', 'adjustment', 'payout', 'commission'));

-- As before, and: nothing while a receivable is open; `p_meter_from` with `p_meter`; what the debit is for.
drop function debit_wallet(text, text, bigint, text, text, text, text, text);
create function debit_wallet(
  p_transfer text, p_operator text, p_amount bigint, p_credit_account text, p_kind text, p_cause text, p_description text,
  p_meter text default null, p_meter_from bigint default null, p_skill text default null, p_invocation text default null
) returns text language plpgsql as $$
declare debited boolean; written text;
begin
  with wallet as (
    update wallets set posted_cents = posted_cents - p_amount, last_position = last_position + 1
    where operator_id = p_operator and posted_cents - held_cents >= p_amount and receivable_cents = 0
    returning last_position
  ), transfer as (
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, meter, meter_from_cents, description,
      skill_id, invocation_id)
    select p_transfer, 'wallet:' || p_operator, p_credit_account, p_amount, p_kind, p_cause, last_position, p_meter, p_meter_from,
      p_description, p_skill, p_invocation
    from wallet
    on conflict on constraint transfers_kind_cause_key do nothing
    returning id
  )
  select exists (select from wallet), (select id from transfer) into debited, written;
  if written is not null then return written; end if;
  if debited then -- a rival did it first, and we still hold the lock: take our half back
    update wallets set posted_cents = posted_cents + p_amount, last_position = last_position - 1 where operator_id = p_operator;
  end if;
  return (select id from transfers where kind = p_kind and cause = p_cause);
end $$;

-- What a chargeback took and the wallet did not have. Paid back by later credits, oldest first; settled when nothing is left, or
-- when the dispute was won.
create table receivables (
  id text primary key,                  -- the cause, e.g. the provider's dispute
  operator_id text not null references operators,
  amount_cents bigint not null check (amount_cents > 0),
  paid_cents bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  constraint receivables_paid check (paid_cents between 0 and amount_cents)
);
create index receivables_open on receivables (operator_id, created_at) where paid_cents < amount_cents;

-- Pays open receivables from what the wallet has available; the caller holds the wallet row.
create function pay_receivables(p_operator text, p_occasion text) returns void language plpgsql as $$
declare owed receivables; w wallets; payable bigint;
begin
  for owed in select * from receivables where operator_id = p_operator and paid_cents < amount_cents order by created_at, id for no key update loop
    select * into strict w from wallets where operator_id = p_operator for no key update;
    payable := least(w.posted_cents - w.held_cents, owed.amount_cents - owed.paid_cents);
    exit when payable <= 0;
    update wallets set posted_cents = posted_cents - payable, receivable_cents = receivable_cents - payable, last_position = last_position + 1
      where operator_id = p_operator returning * into w;
    update receivables set paid_cents = paid_cents + payable where id = owed.id;
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description)
      values (new_prefixed_id('txn'), 'wallet:' || p_operator, 'platform:payments', payable, 'adjustment',
        'receivable:' || owed.id || ':' || p_occasion, w.last_position, 'Owed since a payment was charged back');
  end loop;
end $$;

-- As before, and an open receivable is paid first.
create or replace function credit_wallet(
  p_transfer text, p_operator text, p_amount bigint, p_debit_account text, p_kind text, p_cause text, p_description text
) returns text language plpgsql as $$
declare owing boolean; written text;
begin
  with wallet as (
    update wallets set posted_cents = posted_cents + p_amount, last_position = last_position + 1
    where operator_id = p_operator
    returning last_position, receivable_cents
  ), transfer as (
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description)
    select p_transfer, p_debit_account, 'wallet:' || p_operator, p_amount, p_kind, p_cause, last_position, p_description
    from wallet
    on conflict on constraint transfers_kind_cause_key do nothing
    returning id
  )
  select (select receivable_cents > 0 from wallet), (select id from transfer) into owing, written;
  if written is not null then
    if owing then perform pay_receivables(p_operator, written); end if;
    return written;
  end if;
  if owing is not null then
    update wallets set posted_cents = posted_cents - p_amount, last_position = last_position - 1 where operator_id = p_operator;
  end if;
  return (select id from transfers where kind = p_kind and cause = p_cause);
end $$;

-- Takes money back that the provider took from us: what the wallet has available at once, the rest as a receivable. Once a cause.
-- The wallet never goes below zero (decisions B10).
create function charge_back(p_operator text, p_amount bigint, p_cause text, p_description text) returns void language plpgsql as $$
declare w wallets; taken bigint;
begin
  select * into strict w from wallets where operator_id = p_operator for no key update;
  if exists (select from transfers where kind = 'adjustment' and cause = p_cause) or exists (select from receivables where id = p_cause) then
    return;
  end if;
  taken := least(p_amount, w.posted_cents - w.held_cents);
  if taken > 0 then
    update wallets set posted_cents = posted_cents - taken, last_position = last_position + 1
      where operator_id = p_operator returning * into w;
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description)
      values (new_prefixed_id('txn'), 'wallet:' || p_operator, 'platform:payments', taken, 'adjustment', p_cause, w.last_position,
        p_description);
  end if;
  if taken < p_amount then
    insert into receivables (id, operator_id, amount_cents) values (p_cause, p_operator, p_amount - taken);
    update wallets set receivable_cents = receivable_cents + p_amount - taken where operator_id = p_operator;
  end if;
end $$;

-- As before, and nothing while a receivable is open.
create or replace function hold_wallet(p_hold text, p_operator text, p_amount bigint, p_cause text) returns void language plpgsql as $$
declare available bigint; owed bigint;
begin
  loop
    update wallets set held_cents = held_cents + p_amount
      where operator_id = p_operator and posted_cents - held_cents >= p_amount and receivable_cents = 0;
    exit when found;
    select posted_cents - held_cents, receivable_cents into strict available, owed from wallets where operator_id = p_operator;
    if owed > 0 then perform refuse_owing(p_amount, available, owed); end if;
    if available < p_amount then -- else a release or credit came between: try again
      perform refuse_uncovered(p_amount, available);
    end if;
  end loop;
  insert into holds (id, operator_id, amount_cents, cause) values (p_hold, p_operator, p_amount, p_cause);
end $$;

create function refuse_uncovered(p_amount bigint, p_available bigint) returns void language plpgsql as $$
begin
  perform refuse('INSUFFICIENT_CREDITS',
    format('This needs %s cents and the wallet has %s cents available; top it up and send the request again.', p_amount, p_available),
    json_build_object('required_cents', p_amount, 'balance_cents', p_available));
end $$;

create function refuse_owing(p_amount bigint, p_available bigint, p_owed bigint) returns void language plpgsql as $$
begin
  perform refuse('INSUFFICIENT_CREDITS',
    format('A payment was charged back and the wallet owes %s cents; the next top-up pays them first, then send the request again.', p_owed),
    json_build_object('required_cents', p_amount, 'balance_cents', p_available, 'receivable_cents', p_owed));
end $$;

-- Turns the open hold of `p_cause` into one transfer to an account that is a sum of transfers (a provider's, the platform's).
-- Nothing to do: null.
create function capture_hold_to(p_cause text, p_transfer text, p_account text, p_kind text, p_description text)
returns text language plpgsql as $$
declare hold holds; taken bigint;
begin
  update holds set status = 'captured', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return null; end if;
  update wallets set posted_cents = posted_cents - hold.amount_cents, held_cents = held_cents - hold.amount_cents,
      last_position = last_position + 1
    where operator_id = hold.operator_id returning last_position into strict taken;
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description)
    values (p_transfer, 'wallet:' || hold.operator_id, p_account, hold.amount_cents, p_kind, p_cause, taken, p_description);
  return p_transfer;
end $$;

-- Charges microcents to a meter: they gather in the remainder, and whole cents are debited as soon as there are any. Returns
-- where the charge begins in the stream of its meter, in microcents, or null, changing nothing, when the wallet does not cover
-- the cents. The caller guards against charging twice.
drop function charge_meter(text, text, text, bigint, text, text);
create function charge_meter(
  p_transfer text, p_operator text, p_meter text, p_microcents bigint, p_kind text, p_description text,
  p_skill text default null, p_invocation text default null
) returns bigint language plpgsql as $$
declare begins bigint; debited bigint; cents bigint;
begin
  -- Most charges complete no cent: one statement.
  update wallet_remainders set charged_microcents = charged_microcents + p_microcents
    where operator_id = p_operator and meter = p_meter and (charged_microcents + p_microcents) / 1000000 = debited_cents
    returning charged_microcents - p_microcents into begins;
  if found then return begins; end if;
  insert into wallet_remainders (operator_id, meter) values (p_operator, p_meter) on conflict do nothing;
  select charged_microcents, debited_cents into begins, debited
    from wallet_remainders where operator_id = p_operator and meter = p_meter for no key update;
  cents := (begins + p_microcents) / 1000000 - debited;
  if cents > 0 and debit_wallet(p_transfer, p_operator, cents, 'platform:metering', p_kind, p_transfer, p_description,
      p_meter, debited, p_skill, p_invocation) is null then
    return null;
  end if;
  update wallet_remainders set charged_microcents = begins + p_microcents, debited_cents = debited + cents
    where operator_id = p_operator and meter = p_meter;
  return begins;
end $$;

-- Whether the wallet covers another charge, remainders included (decisions B5): available x 1,000,000 - open remainders >= cost.
create function covers_charge(p_operator text, p_microcents bigint) returns boolean language sql stable as $$
  select w.receivable_cents = 0 and (w.posted_cents - w.held_cents) * 1000000
      - coalesce((select sum(charged_microcents - debited_cents * 1000000) from wallet_remainders where operator_id = p_operator), 0)
    >= p_microcents
  from wallets w where w.operator_id = p_operator;
$$;

-- An answer that waits for an outside effect (decisions §1): its key is reserved with the id of what was begun, until the answer is
-- kept. A reservation past its time is taken over, with the id, by the next call of the same key and body.
alter table idempotency_keys add column reservation text, add column reserved_until timestamptz;

create or replace function take_idempotency_key(p_operator text, p_agent text, p_key text, p_fingerprint bytea)
returns idempotency_keys language plpgsql as $$
declare stored idempotency_keys;
begin
  if p_key is null then return null; end if;
  insert into idempotency_keys as k (operator_id, agent_id, key, fingerprint)
    values (p_operator, p_agent, p_key, p_fingerprint)
    on conflict (operator_id, agent_id, key) do update
      set fingerprint = excluded.fingerprint, status = null, answer = null, location = null, encrypted = false, created_at = now(),
        reservation = null, reserved_until = null
      where k.created_at < now() - interval '24 hours';
  if found then return null; end if;
  select * into strict stored from idempotency_keys
    where operator_id = p_operator and agent_id = p_agent and key = p_key;
  if stored.fingerprint <> p_fingerprint then
    perform refuse('IDEMPOTENCY_KEY_REUSED',
      'This Idempotency-Key was used for another method, path or body; use a new key for a new request.');
  end if;
  return stored;
end $$;

-- Reserves the key for `p_id`, or answers the id it was reserved with before; `for update` of the row, so of two that take a
-- reservation over one waits. Null: an answer is kept, replay it.
create function reserve_answer(p_operator text, p_agent text, p_key text, p_fingerprint bytea, p_id text, p_seconds int)
returns text language plpgsql as $$
declare stored idempotency_keys;
begin
  stored := take_idempotency_key(p_operator, p_agent, p_key, p_fingerprint);
  select * into strict stored from idempotency_keys
    where operator_id = p_operator and agent_id = p_agent and key = p_key for update;
  if stored.status is not null then return null; end if;
  if stored.reserved_until > clock_timestamp() then
    perform refuse('IDEMPOTENCY_IN_FLIGHT', 'A call with this Idempotency-Key is under way; send it again in a second.');
  end if;
  update idempotency_keys set reservation = coalesce(stored.reservation, p_id),
      reserved_until = clock_timestamp() + make_interval(secs => p_seconds)
    where operator_id = p_operator and agent_id = p_agent and key = p_key;
  return coalesce(stored.reservation, p_id);
end $$;

-- After a refusal or a 503: the next call need not wait.
create function lapse_reservation(p_operator text, p_agent text, p_key text) returns void language sql as $$
  update idempotency_keys set reserved_until = null
  where operator_id = p_operator and agent_id = p_agent and key = p_key and status is null;
$$;
