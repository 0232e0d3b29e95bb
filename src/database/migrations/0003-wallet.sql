-- The ledger (decisions B2): every movement of money is one transfer with a debited and a credited account, so the
-- books balance by their shape. Accounts are 'wallet:op_…', 'earnings:op_…' and 'platform:…'. Wallets and earnings also
-- store their balance; platform accounts are sums over transfers, never rows that everybody updates. All amounts are
-- whole USD cents.

-- posted: everything that was transferred. held: promised to open holds. Available is posted - held, and never below
-- zero.
create table wallets (
  operator_id text primary key references operators,
  posted_cents bigint not null default 0,
  held_cents bigint not null default 0,
  last_position bigint not null default 0,     -- of the wallet's newest transfer
  constraint wallets_never_overdrawn check (posted_cents >= held_cents and held_cents >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- What publishers earned and were not paid out yet; no part of a wallet (decisions B23).
create table earnings (
  operator_id text primary key references operators,
  posted_cents bigint not null default 0,
  constraint earnings_never_negative check (posted_cents >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

create table transfers (
  id text primary key,
  debit_account text not null,
  credit_account text not null,
  amount_cents bigint not null check (amount_cents > 0),
  kind text not null check (kind in ('topup', 'refund', 'invocation', 'compute', 'identity', 'overage', 'adjustment')),
  cause text not null,                         -- what it is for; (kind, cause) happens once
  wallet text generated always as (case
    when debit_account like 'wallet:%' then substr(debit_account, 8)
    when credit_account like 'wallet:%' then substr(credit_account, 8) end) stored,
  position bigint,                             -- taken while the wallet is locked: dense, and in the order of commits (decisions B18)
  meter text check (meter in ('sealed_execution', 'llm_gateway', 'identity', 'metered_action', 'sms', 'email', 'l3')),
  description text not null,
  skill_id text,
  invocation_id text,
  created_at timestamptz not null default clock_timestamp(),
  constraint transfers_kind_cause_key unique (kind, cause),
  constraint transfers_wallet_position_key unique (wallet, position),
  constraint transfers_position_of_wallet check ((wallet is null) = (position is null)),
  constraint transfers_between_two check (debit_account <> credit_account),
  -- Money never moves from wallet to wallet (decisions B23).
  constraint transfers_one_wallet check (not (debit_account like 'wallet:%' and credit_account like 'wallet:%'))
);

-- Money promised and not moved yet.
create table holds (
  id text primary key,
  operator_id text not null,
  amount_cents bigint not null check (amount_cents > 0),
  cause text not null constraint holds_cause_key unique,
  status text not null default 'held' check (status in ('held', 'captured', 'released')),
  created_at timestamptz not null default clock_timestamp(),
  closed_at timestamptz,
  constraint holds_closed check ((status = 'held') = (closed_at is null))
) with (fillfactor = 70);
create index holds_open on holds (created_at) where status = 'held';

-- Metering in microcents (1 cent = 1,000,000): what a meter charged and how many whole cents of it were debited. The
-- difference is the remainder, always less than a cent, so charges = debits x 1,000,000 + remainder holds for every row
-- by its shape.
create table wallet_remainders (
  operator_id text not null,
  meter text not null,
  charged_microcents bigint not null default 0,
  debited_cents bigint not null default 0,
  primary key (operator_id, meter),
  constraint wallet_remainders_below_a_cent check (charged_microcents - debited_cents * 1000000 between 0 and 999999)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- Every operator has both rows from its beginning, so that no movement has to make them.
create function open_wallet(p_operator text) returns void language sql as $$
  insert into wallets (operator_id) values (p_operator) on conflict do nothing;
  insert into earnings (operator_id) values (p_operator) on conflict do nothing;
$$;
select open_wallet(id) from operators;

-- Takes money out of a wallet if it covers it, once a (kind, cause). Returns the id of the transfer, the first one's
-- when it was done before, and null when the wallet does not cover it.
create function debit_wallet(
  p_transfer text, p_operator text, p_amount bigint, p_credit_account text, p_kind text, p_cause text, p_description text,
  p_meter text default null
) returns text language plpgsql as $$
declare debited boolean; written text;
begin
  with wallet as (
    update wallets set posted_cents = posted_cents - p_amount, last_position = last_position + 1
    where operator_id = p_operator and posted_cents - held_cents >= p_amount
    returning last_position
  ), transfer as (
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, meter, description)
    select p_transfer, 'wallet:' || p_operator, p_credit_account, p_amount, p_kind, p_cause, last_position, p_meter, p_description
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

-- Puts money into a wallet, once a (kind, cause). Returns the id of the transfer, the first one's when it was done
-- before.
create function credit_wallet(
  p_transfer text, p_operator text, p_amount bigint, p_debit_account text, p_kind text, p_cause text, p_description text
) returns text language plpgsql as $$
declare credited boolean; written text;
begin
  with wallet as (
    update wallets set posted_cents = posted_cents + p_amount, last_position = last_position + 1
    where operator_id = p_operator
    returning last_position
  ), transfer as (
    insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description)
    select p_transfer, p_debit_account, 'wallet:' || p_operator, p_amount, p_kind, p_cause, last_position, p_description
    from wallet
    on conflict on constraint transfers_kind_cause_key do nothing
    returning id
  )
  select exists (select from wallet), (select id from transfer) into strict credited, written;
  if written is not null then return written; end if;
  if credited then
    update wallets set posted_cents = posted_cents - p_amount, last_position = last_position - 1 where operator_id = p_operator;
  end if;
  return (select id from transfers where kind = p_kind and cause = p_cause);
end $$;

-- Promises money of a wallet to `p_cause`. Refuses 402 with the numbers that were true when it looked.
create function hold_wallet(p_hold text, p_operator text, p_amount bigint, p_cause text) returns void language plpgsql as $$
declare available bigint;
begin
  loop
    update wallets set held_cents = held_cents + p_amount
      where operator_id = p_operator and posted_cents - held_cents >= p_amount;
    exit when found;
    select posted_cents - held_cents into strict available from wallets where operator_id = p_operator;
    if available < p_amount then -- else a release or credit came between: try again
      perform refuse('INSUFFICIENT_CREDITS',
        format('This needs %s cents and the wallet has %s cents available; top it up and send the request again.', p_amount, available),
        json_build_object('required_cents', p_amount, 'balance_cents', available));
    end if;
  end loop;
  insert into holds (id, operator_id, amount_cents, cause) values (p_hold, p_operator, p_amount, p_cause);
end $$;

-- Turns the open hold of `p_cause` into one transfer from the wallet to the earnings of `p_earner`. Nothing to do:
-- false.
create function capture_hold(
  p_cause text, p_transfer text, p_earner text, p_kind text, p_description text, p_skill text, p_invocation text
) returns boolean language plpgsql as $$
declare hold holds; taken bigint;
begin
  update holds set status = 'captured', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return false; end if;
  update wallets set posted_cents = posted_cents - hold.amount_cents, held_cents = held_cents - hold.amount_cents,
      last_position = last_position + 1
    where operator_id = hold.operator_id returning last_position into strict taken;
  insert into transfers (id, debit_account, credit_account, amount_cents, kind, cause, position, description, skill_id, invocation_id)
    values (p_transfer, 'wallet:' || hold.operator_id, 'earnings:' || p_earner, hold.amount_cents, p_kind, p_cause, taken,
      p_description, p_skill, p_invocation);
  update earnings set posted_cents = posted_cents + hold.amount_cents where operator_id = p_earner;
  if not found then raise exception 'there is no earnings account of %', p_earner; end if;
  return true;
end $$;

-- Gives the open hold of `p_cause` back to the wallet; the ledger shows no row of it. Nothing to do: false.
create function release_hold(p_cause text) returns boolean language plpgsql as $$
declare hold holds;
begin
  update holds set status = 'released', closed_at = clock_timestamp() where cause = p_cause and status = 'held' returning * into hold;
  if not found then return false; end if;
  update wallets set held_cents = held_cents - hold.amount_cents where operator_id = hold.operator_id;
  return true;
end $$;

-- Charges microcents to a meter: they gather in the remainder, and whole cents are debited as soon as there are any.
-- Returns the cents debited now, or null, changing nothing, when the wallet does not cover them. The caller guards
-- against charging twice.
create function charge_meter(p_transfer text, p_operator text, p_meter text, p_microcents bigint, p_kind text, p_description text)
returns bigint language plpgsql as $$
declare cents bigint; charged bigint;
begin
  insert into wallet_remainders (operator_id, meter) values (p_operator, p_meter) on conflict do nothing;
  select charged_microcents + p_microcents, (charged_microcents + p_microcents) / 1000000 - debited_cents into charged, cents
    from wallet_remainders where operator_id = p_operator and meter = p_meter for no key update;
  if cents > 0 and debit_wallet(p_transfer, p_operator, cents, 'platform:metering', p_kind, p_transfer, p_description, p_meter) is null then
    return null;
  end if;
  update wallet_remainders set charged_microcents = charged, debited_cents = debited_cents + cents
    where operator_id = p_operator and meter = p_meter;
  return cents;
end $$;
