-- Money: wallets and the ledger behind them, meters, statements, payments in, subscriptions, payouts.

-- ── The ledger ──
-- Every movement of money is one transfer with a debited and a credited account, so the books balance by their shape
-- (decision B2). Accounts are 'wallet:op_…', 'earnings:op_…' and 'platform:…'. Wallets and earnings also store their
-- balance; platform accounts are sums over transfers, never rows that everybody updates.

-- posted: everything that was transferred. held: promised to open holds. Available is posted - held, and never below zero.
create table wallets (
  operator_id text primary key references operators,
  posted_cents bigint not null default 0,
  held_cents bigint not null default 0,
  -- What chargebacks took that the wallet did not have (decision B10): while there is some, nothing is debited or held, and the
  -- next credit pays it first.
  receivable_cents bigint not null default 0 constraint wallets_receivable check (receivable_cents >= 0),
  -- Of the newest transfer and the newest model call: together the snapshot of a page of the timeline (decision B18).
  last_position bigint not null default 0,
  last_call bigint not null default 0,
  -- The operator's threshold (`operators.low_balance_cents`), and whether what is available was below it when that was last looked at.
  low_balance_cents bigint,
  is_low boolean not null default false,
  constraint wallets_never_overdrawn check (posted_cents >= held_cents and held_cents >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- What publishers earned and were not paid yet; no part of a wallet (decision B23).
create table earnings (
  operator_id text primary key references operators,
  posted_cents bigint not null default 0,
  constraint earnings_never_negative check (posted_cents >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- An operator has both rows from its beginning, so that no movement has to make them.
create function open_wallet() returns trigger language plpgsql as $$
begin
  perform make_wallet(new.id);
  return null;
end $$;
create trigger operators_have_wallets after insert on operators for each row execute function open_wallet();
insert into wallets (operator_id) select id from operators;
insert into earnings (operator_id) select id from operators;

-- The threshold stands beside the balance, so that a movement which crosses it is seen without another read; all others cost the condition
-- alone. At the end of the transaction, because a movement may be taken back, or be followed by another, before it.
create function set_low_balance() returns trigger language plpgsql as $$
begin
  perform set_wallet_threshold(new.id, new.low_balance_cents);
  return null;
end $$;
create trigger operators_set_threshold after update of low_balance_cents on operators for each row
  when (new.low_balance_cents is distinct from old.low_balance_cents) execute function set_low_balance();
create function look_at_threshold() returns trigger language plpgsql as $$
begin
  perform note_low_balance(new.operator_id);
  return null;
end $$;
create constraint trigger wallets_pass_threshold after update of posted_cents, held_cents, low_balance_cents on wallets
  deferrable initially deferred for each row
  when (coalesce(new.posted_cents - new.held_cents < new.low_balance_cents, false) <> new.is_low) execute function look_at_threshold();

create table transfers (
  id text primary key,
  debit_account text not null,
  credit_account text not null,
  amount_cents bigint not null check (amount_cents > 0),
  kind text not null check (kind in
    ('topup', 'refund', 'invocation', 'compute', 'identity', 'overage', 'adjustment', 'payout', 'commission')),
  cause text not null,                         -- what it is for; (kind, cause) happens once
  wallet text generated always as (case
    when debit_account like 'wallet:%' then substr(debit_account, 8)
    when credit_account like 'wallet:%' then substr(credit_account, 8) end) stored,
  position bigint,                             -- taken while the wallet is locked: dense, and in the order of commits (decision B18)
  meter text check (meter in ('sealed_execution', 'llm_gateway', 'identity', 'metered_action', 'sms', 'email', 'l3')),
  -- Cents [meter_from_cents, meter_from_cents + amount_cents) of everything that its meter has debited from this wallet: which
  -- charges a debit stands for follows from their places in the same stream, first in, first out.
  meter_from_cents bigint,
  description text not null,
  skill_id text,
  invocation_id text,
  created_at timestamptz not null default clock_timestamp(),
  constraint transfers_kind_cause_key unique (kind, cause),
  constraint transfers_wallet_position_key unique (wallet, position),
  constraint transfers_position_of_wallet check ((wallet is null) = (position is null)),
  constraint transfers_place_in_meter check ((meter is null) = (meter_from_cents is null)),
  constraint transfers_between_two check (debit_account <> credit_account),
  -- Money never moves from wallet to wallet (decision B23).
  constraint transfers_one_wallet check (not (debit_account like 'wallet:%' and credit_account like 'wallet:%'))
);
create index transfers_of_meter on transfers (wallet, meter, position) where meter is not null;
-- Rows of one type, however rare among the others.
create index transfers_of_kind on transfers (wallet, kind, position) where wallet is not null;
-- What was captured since a moment.
create index transfers_captured on transfers (credit_account, created_at) where kind = 'invocation';

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
-- For other domains: what was promised and not moved yet.
create view open_holds as select cause, created_at from holds where status = 'held';

-- What a chargeback took and the wallet did not have. Later credits pay it, oldest first. It is settled when nothing is left.
-- Where the dispute was won, the unpaid rest is cancelled: amount_cents becomes what was paid.
create table receivables (
  id text primary key,                  -- the cause, e.g. the provider's dispute
  operator_id text not null references operators,
  amount_cents bigint not null constraint receivables_amount check (amount_cents >= 0),
  paid_cents bigint not null default 0,
  created_at timestamptz not null default clock_timestamp(),
  constraint receivables_paid check (paid_cents between 0 and amount_cents)
);
create index receivables_open on receivables (operator_id, created_at) where paid_cents < amount_cents;

-- ── Metering ──
-- What a meter charged in microcents and how many whole cents of it were debited. The difference is the remainder, always
-- less than a cent, so charges = debits x 1,000,000 + remainder is true for every row by its shape.
create table wallet_remainders (
  operator_id text not null,
  meter text not null,
  charged_microcents bigint not null default 0,
  debited_cents bigint not null default 0,
  primary key (operator_id, meter),
  constraint wallet_remainders_below_a_cent check (charged_microcents - debited_cents * 1000000 between 0 and 999999)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- What an operator used of a meter in a UTC month (decision B25). Nothing is ever reset: a month without a row is a month without use.
create table usage_counters (
  operator_id text not null references operators,
  meter text not null check (meter in ('metered_action', 'l3', 'sms', 'email')),
  month date not null,
  used bigint not null default 0,
  overage bigint not null default 0,     -- of them charged to the wallet
  -- Of the metered actions. Kept here because counting a month of rows takes too long for a request.
  passports bigint not null default 0,   -- issued, delegated and refreshed
  invocations bigint not null default 0,
  primary key (operator_id, meter, month),
  constraint usage_counters_overage check (overage between 0 and used)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 100, autovacuum_vacuum_cost_delay = 0);

-- Budgets: what agents and agent keys promised and spent in a UTC month (decision K58); a released hold is
-- subtracted again.
create table agent_spending (
  subject text not null,                 -- ag_… or key_…
  month date not null,
  cents bigint not null default 0 check (cents >= 0),
  primary key (subject, month)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

-- What a debit stands for: model calls, machine runs and other usage, each with its place in the stream of its meter. A charge
-- takes [begins, begins + microcents) of the stream, a debit [meter_from_cents, meter_from_cents + amount_cents) x 1,000,000 of
-- it. A charge's share in a debit is the overlap of the two: first in, first out, exact, and nothing to allocate.

-- Model calls. No prompt and no response is kept, here or elsewhere.
create table model_calls (
  id text primary key,
  operator_id text not null references operators,
  -- The place on the timeline, taken from the wallet while it is locked: after `position` transfers, the call-th call (decision B18).
  position bigint not null,
  call bigint not null,
  created_at timestamptz not null default clock_timestamp(),
  operation text not null,
  declared_purpose text,                 -- of the exact mission or passport (decision B24)
  provider text not null,
  model text not null,
  prompt_tokens bigint not null check (prompt_tokens >= 0),
  completion_tokens bigint not null check (completion_tokens >= 0),
  total_tokens bigint not null check (total_tokens >= 0),
  cached_prompt_tokens bigint check (cached_prompt_tokens >= 0),
  streaming boolean not null,
  agent_id text,
  mission_id text,
  skill_id text,
  invocation_id text,
  sealed_step_index int check (sealed_step_index >= 0),
  price_state text not null check (price_state in ('wallet_price', 'included', 'covered', 'unavailable')),
  cost_microcents bigint check (cost_microcents >= 0), -- to the platform, or to the customer at the provider
  meter text check (meter in ('sealed_execution', 'llm_gateway', 'l3')),
  begins_microcents bigint,
  microcents bigint not null default 0,  -- charged
  constraint model_calls_place unique (operator_id, call),
  constraint model_calls_charged check ((meter is not null) = (microcents > 0) and (meter is null) = (begins_microcents is null)),
  constraint model_calls_price check (microcents = 0 or price_state = 'wallet_price'),
  constraint model_calls_cost check ((cost_microcents is null) = (price_state = 'unavailable'))
);
create unique index model_calls_of_meter on model_calls (operator_id, meter, begins_microcents) where meter is not null;
-- In the order of the timeline: calls that were charged, of which a page shows those that no debit has reached, and all others.
create index model_calls_charged_timeline on model_calls (operator_id, meter, call) where meter is not null;
create index model_calls_free_timeline on model_calls (operator_id, call) where meter is null;

-- Classifications by a model, which are begun before their cost is known: who pays, and whether what is held for them is still needed.
create table classification_calls (
  source text primary key,               -- what it is for, once
  id text not null unique,               -- of the model call, and the cause of its hold
  operator_id text not null references operators,
  month date not null,                   -- whose allowance it counts against
  price_state text not null check (price_state in ('wallet_price', 'included')),
  began_at timestamptz not null default clock_timestamp(),
  ended_at timestamptz
) with (fillfactor = 80);

-- Steps of sealed execution, as the machine ran them; failed invocations' too.
create table machine_runs (
  id text primary key,
  operator_id text not null references operators,
  created_at timestamptz not null default clock_timestamp(),
  duration_ms bigint not null check (duration_ms >= 0),
  skill_id text,
  invocation_id text,
  sealed_step_index int check (sealed_step_index >= 0),
  cost_microcents bigint not null check (cost_microcents >= 0),
  meter text check (meter = 'sealed_execution'),
  begins_microcents bigint,
  microcents bigint not null default 0,
  constraint machine_runs_charged check ((meter is not null) = (microcents > 0) and (meter is null) = (begins_microcents is null))
);
create unique index machine_runs_of_meter on machine_runs (operator_id, meter, begins_microcents) where meter is not null;

-- Usage of which a statement says no more than its charge: the source is a row elsewhere, e.g. an identity claim.
create table usage_charges (
  source text primary key,
  operator_id text not null references operators,
  meter text not null,
  created_at timestamptz not null default clock_timestamp(),
  cost_microcents bigint not null check (cost_microcents >= 0),
  begins_microcents bigint,
  microcents bigint not null,
  constraint usage_charges_charged check ((begins_microcents is null) = (microcents = 0))
);
create unique index usage_charges_of_meter on usage_charges (operator_id, meter, begins_microcents) where begins_microcents is not null;

-- ── Payments ──
-- Who we are to the payment provider, top-ups, refunds, and what webhooks reported.

-- One row for each provider: customers of the local payment page do not exist at Stripe.
create table payment_customers (
  operator_id text not null references operators,
  provider text not null check (provider in ('stripe', 'local')),
  customer_id text,                     -- null: the provider no longer knows the last one, and another is to be made
  number int not null default 1 check (number > 0), -- which customer of the operator this is
  created_at timestamptz not null default clock_timestamp(),
  primary key (operator_id, provider)
);

-- How the provider names the configuration of its portal, which the service makes and checks (decision B16).
create table payment_portals (
  provider text primary key check (provider in ('stripe', 'local')),
  configuration_id text not null
);

-- What webhooks reported, each event once (decision B7). No rule reads these rows: they show a person what an event led to.
create table payment_events (
  id text primary key,                  -- the provider's
  type text not null,
  created_at timestamptz not null,      -- by the provider's clock
  received_at timestamptz not null default clock_timestamp(),
  subject text,                         -- top_…, rfd_…, or what the provider calls it
  outcome text not null
);
create index payment_events_age on payment_events (received_at);

-- When the last complete reading of the provider's own list of events began; one row at most.
create table payment_event_readings (
  one boolean primary key default true check (one),
  begun_at timestamptz not null
);

create table top_ups (
  id text primary key,
  operator_id text not null references operators,
  provider text not null check (provider in ('stripe', 'local')),
  amount_cents bigint not null check (amount_cents > 0), -- requested; of one that a person took in, what was paid
  -- opening: a checkout is requested from the provider. open: it can be paid. processing: it was paid in a way that takes days.
  -- refused: the provider refused the request. differs: what was paid is not what was requested: see differing_payments.
  status text not null default 'opening'
    check (status in ('opening', 'open', 'processing', 'paid', 'failed', 'expired', 'refused', 'differs')),
  session_id text constraint top_ups_session unique,
  checkout_url text,                    -- encrypted; while it can be paid
  payment_id text constraint top_ups_payment unique,
  transaction_id text unique,           -- the credit
  receipt_url text,                     -- encrypted; of a paid one that the provider has a receipt for
  receipt_sought boolean not null default false,
  expires_at timestamptz not null,      -- of the checkout
  -- What its page is opened with beside the amount: a try made again is the same request, whatever the settings say by then.
  seconds int not null check (seconds > 0), -- that it can be paid
  return_to text not null,              -- the address of the service
  next_call_at timestamptz,                   -- when its state is read from the provider
  settled_at timestamptz,
  life_seen_at timestamptz,
  woken_at timestamptz,                 -- by the reconciler, last
  -- While the refunds of its payment are to be read at the provider: when the reconciler looks whether a life does so.
  refunds_look_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  -- When the reconciler looks at it, while it is open: ten seconds after it was made where no life has seen it, else a minute after it was
  -- due. A life that tries a provider again and again is left ten minutes. (In UTC: an interval is immutable only without a time zone.)
  look_at timestamptz not null generated always as (case
    when life_seen_at is null and woken_at is null then (created_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    when life_seen_at is null then (woken_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'
    when woken_at > life_seen_at then (woken_at at time zone 'UTC' + interval '10 minutes') at time zone 'UTC'
    else greatest(life_seen_at at time zone 'UTC' + interval '10 minutes',
      coalesce(next_call_at, expires_at) at time zone 'UTC' + interval '1 minute') at time zone 'UTC' end) stored,
  constraint top_ups_url check ((checkout_url is not null) = (status = 'open')),
  constraint top_ups_next_call check ((next_call_at is not null) = (status in ('open', 'processing'))),
  constraint top_ups_credit check ((transaction_id is not null) = (status = 'paid')),
  constraint top_ups_paid check (status <> 'paid' or (session_id is not null and payment_id is not null and settled_at is not null))
) with (fillfactor = 70);
create index top_ups_due on top_ups (look_at) where status in ('opening', 'open', 'processing');
-- Those that a life of another store saw, after the last moment that anybody looked after them.
create index top_ups_seen on top_ups (greatest(life_seen_at, woken_at)) where status in ('opening', 'open', 'processing');
create index top_ups_refunds on top_ups (refunds_look_at) where refunds_look_at is not null;
-- How many pages of an operator can still be paid.
create index top_ups_to_pay on top_ups (operator_id) where status in ('opening', 'open');

-- A payment that came in and is not the one requested: nothing was credited. A person takes it into the wallet or, once it was given
-- back at the provider, dismisses it (decision B35).
create table differing_payments (
  id text primary key,
  top_up_id text not null references top_ups,
  differs text not null check (differs in ('amount', 'session')),
  session_id text not null,
  payment_id text,
  amount_cents bigint,                  -- hundredths of `currency`
  currency text,
  status text not null default 'open' check (status in ('open', 'taken', 'dismissed')),
  transaction_id text,                  -- the credit of one that was taken
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  constraint differing_payments_once unique nulls not distinct (top_up_id, session_id, payment_id),
  constraint differing_payments_taken check ((transaction_id is not null) = (status = 'taken')),
  constraint differing_payments_decided check ((decided_at is null) = (status = 'open'))
);
create index differing_payments_open on differing_payments (id) where status = 'open';

create table refunds (
  id text primary key,
  operator_id text not null references operators,
  top_up_id text not null references top_ups,
  transaction_id text not null,         -- what is refunded
  amount_cents bigint not null check (amount_cents > 0),
  attempt int not null,                 -- of the transaction: a provider repeats a refusal for the same key for ever
  status text not null default 'pending' check (status in ('pending', 'succeeded', 'failed')),
  next_call_at timestamptz,                   -- when the request is sent to the provider, first or again
  settled_at timestamptz,
  life_seen_at timestamptz,
  woken_at timestamptz,                 -- by the reconciler, last
  created_at timestamptz not null default clock_timestamp(),
  look_at timestamptz not null generated always as (case -- as of a top-up
    when life_seen_at is null and woken_at is null then (created_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    when life_seen_at is null then (woken_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'
    when woken_at > life_seen_at then (woken_at at time zone 'UTC' + interval '10 minutes') at time zone 'UTC'
    else greatest(life_seen_at at time zone 'UTC' + interval '10 minutes', next_call_at at time zone 'UTC' + interval '1 minute')
      at time zone 'UTC' end) stored,
  unique (transaction_id, attempt),
  constraint refunds_next_call check ((next_call_at is not null) = (status = 'pending')),
  constraint refunds_settled check ((settled_at is null) = (status = 'pending'))
) with (fillfactor = 70);
create unique index refunds_one on refunds (transaction_id) where status <> 'failed';
create index refunds_of_top_up on refunds (top_up_id);
create index refunds_open on refunds (created_at) where status = 'pending';
create index refunds_due on refunds (look_at) where status = 'pending';
create index refunds_seen on refunds (greatest(life_seen_at, woken_at)) where status = 'pending';

-- Payments whose refunds somebody reported, whether or not we know the payment yet, and how far the provider's list of them was read.
create table refunded_payments (
  payment_id text primary key,
  reports bigint not null default 0,    -- how often somebody said that its refunds may have changed
  readings bigint not null default 0,   -- how many lists were set: one counts where none was set since it was requested
  next_read_at timestamptz not null default clock_timestamp(), -- before that the provider is not asked again
  unread_since timestamptz,             -- since when the list is to be read and cannot be
  -- What the wallet has paid or owes for refunds that held nothing of it: without us, or released and paid after all.
  charged_back_cents bigint not null default 0 check (charged_back_cents >= 0),
  moves int not null default 0,         -- how often money of the wallet moved for it: part of the cause of each move
  reported_at timestamptz not null default clock_timestamp()
);

-- Refunds as the provider's list of the payment had them when it was read last.
create table provider_refunds (
  id text primary key,                  -- the provider's: a refund is of one payment
  payment_id text not null references refunded_payments on delete cascade,
  refund_id text constraint provider_refunds_of_ours unique references refunds, -- the one of ours that it is; null: made without us
  cents bigint not null check (cents >= 0),
  status text not null check (status in ('pending', 'succeeded', 'failed')), -- failed: the money is not refunded, or not any more
  key text,                             -- that it was requested under
  made_at timestamptz not null          -- by the provider's clock
);
create index provider_refunds_of_payment on provider_refunds (payment_id);

-- A dispute is the running net of what the provider withdrew and reinstated for it (decision B10), whichever event came first.
create table disputes (
  id text primary key,                  -- the provider's
  payment_id text not null,
  amount_cents bigint not null check (amount_cents > 0),
  status text not null,                 -- in the provider's words, of the newest event by the provider's clock
  -- What that status means: the bank has the money; we won; no money was taken; the status is one that we do not know.
  standing text not null check (standing in ('taken', 'won', 'none', 'unlisted')),
  stage int not null,                   -- orders statuses of one second, the provider's clock's tick
  status_at timestamptz not null,
  itemised boolean not null default false,  -- an event listed the movements; else the amount stands for them
  taken_cents bigint not null default 0 constraint disputes_taken check (taken_cents >= 0), -- from the wallet and as receivables together
  moves int not null default 0,         -- how often money of the wallet moved for it: part of the cause of each move
  reported_at timestamptz not null default clock_timestamp()
);
create index disputes_of_payment on disputes (payment_id);

-- What the provider withdrew (below zero) and reinstated for a dispute: its balance transactions, which never change.
create table dispute_movements (
  id text primary key,                  -- the provider's
  dispute_id text not null references disputes on delete cascade,
  cents bigint not null check (cents <> 0)
);
create index dispute_movements_of_dispute on dispute_movements (dispute_id);

-- What no rule here decides about: a person looks, does what is to be done by another route or at the provider, and dismisses it
-- (decision B35). One a kind and thing. over: the provider has said since what there is.
create table billing_alarms (
  id text primary key,
  kind text not null check (kind in
    ('refund_paid_after_all', 'refunds_unread', 'dispute_unlisted', 'payout_reversed_in_part', 'upgrade_not_made',
      'subscription_refund_came_back', 'subscription_not_given_back', 'unknown_price')),
  concerns text not null,               -- rfd_…, top_…, pyt_…, sbc_…, or what the provider calls it
  operator_id text not null references operators,
  amount_cents bigint,                  -- hundredths of `currency`; null where nobody said how much
  currency text,
  news_at timestamptz,                  -- when the newest of what it is about became known; null: nothing has since it was raised
  status text not null default 'open' check (status in ('open', 'dismissed', 'over')),
  created_at timestamptz not null default clock_timestamp(),
  decided_at timestamptz,
  constraint billing_alarms_once unique (kind, concerns),
  constraint billing_alarms_decided check ((decided_at is null) = (status = 'open'))
);
create index billing_alarms_open on billing_alarms (id) where status = 'open';

-- ── Subscriptions ──

-- One row for each operator that ever requested a subscription. The provider's state is copied here as of `state_at`. Changes by
-- the operator since then (seats, cancelling, a smaller tier next) count at once, and its life sends them to the provider:
-- `revision` counts such changes, and the provider has them up to `pushed_revision`.
create table subscriptions (
  operator_id text primary key references operators,
  status text not null default 'none' check (status in ('none', 'active', 'past_due', 'unpaid', 'ended')),
  subscription_id text unique,          -- the provider's, also of the one that has ended
  tier text references tiers (name),    -- what is paid for; what is allowed is operators.tier
  period_start timestamptz,
  period_end timestamptz,
  cancel_at_period_end boolean not null default false,
  next_tier text references tiers (name), -- a smaller one, from the end of the period on
  purchased_seats int not null default 0 check (purchased_seats >= 0),
  revision int not null default 0,
  pushed_revision int not null default 0,
  state_at timestamptz,
  unknown_since timestamptz,            -- since when the provider says that it does not know the subscription
  next_call_at timestamptz,                   -- when the state is read from the provider next: after an event, at an expiry, at the end of the period
  due_at timestamptz default clock_timestamp(), -- when its life runs at the latest; null: it has nothing to do
  constraint subscriptions_pushed check (pushed_revision <= revision),
  constraint subscriptions_running check (status in ('none', 'ended')
    or (subscription_id is not null and tier is not null and period_start < period_end)),
  constraint subscriptions_over check (status in ('active', 'past_due', 'unpaid')
    or (not cancel_at_period_end and next_tier is null and purchased_seats = 0 and revision = pushed_revision))
);
create index subscriptions_due on subscriptions (due_at) where due_at is not null;

-- Seats of the tier and bought ones, never more than the ceiling; null: without limit.
create view operator_seats as
  select t.operator_id, t.seats as included, coalesce(s.purchased_seats, 0) as purchased,
    least(t.seats + coalesce(s.purchased_seats, 0), t.seat_ceiling) as total, t.seat_ceiling as ceiling
  from operator_tiers t left join subscriptions s using (operator_id);

-- Paid subscriptions beside the one that runs, as an event reported them: each is ended at the provider, and what was paid for it refunded.
--   given_back  done
--   over        it had ended by itself: the event was late
--   kept        the one that ran had ended, so this is the one that runs now
--   refused     the provider refuses, or does not know which of the two runs: a person must look
create table surplus_subscriptions (
  subscription_id text primary key,     -- the provider's
  operator_id text not null references subscriptions,
  status text not null default 'open' check (status in ('open', 'given_back', 'over', 'kept', 'refused')),
  refunded_cents bigint,
  created_at timestamptz not null default clock_timestamp(),
  constraint surplus_subscriptions_refunded check ((refunded_cents is not null) = (status = 'given_back'))
);
create index surplus_subscriptions_open on surplus_subscriptions (operator_id) where status = 'open';

-- Each change that was requested. One that has to be paid is in flight until it was paid or has ended; an operator has at most one
-- in flight.
create table subscription_changes (
  id text primary key,
  operator_id text not null references subscriptions,
  kind text not null check (kind in ('start', 'upgrade', 'downgrade', 'resume')),
  tier text not null references tiers (name),
  status text not null check (status in ('opening', 'waiting', 'done', 'failed', 'expired', 'abandoned', 'refused', 'superseded')),
  effective_at timestamptz,             -- of a downgrade
  expires_at timestamptz,               -- of what is to be paid
  seconds int check (seconds > 0),      -- that it can be paid; of what is to be paid
  return_to text,                       -- the address of the service that its page leads back to; of what is to be paid
  attempt int not null default 1 check (attempt > 0), -- counts its pages: that of an upgrade is opened anew on demand
  tried boolean not null default false, -- the page was requested from the provider: there may be one
  session_id text unique,
  checkout_url text,                    -- encrypted; deleted once it opens nothing any more
  closing boolean not null default false, -- given up here, and perhaps still open at the provider
  created_at timestamptz not null default clock_timestamp(),
  constraint subscription_changes_url check ((checkout_url is not null) = (status = 'waiting')),
  constraint subscription_changes_to_pay
    check (num_nonnulls(expires_at, seconds, return_to) = case when kind in ('start', 'upgrade') then 3 else 0 end)
);
create unique index subscription_changes_in_flight on subscription_changes (operator_id) where status in ('opening', 'waiting');
create index subscription_changes_closing on subscription_changes (operator_id) where closing;

-- A page of the provider's customer portal, made for one caller.
create table portal_sessions (
  id text primary key,
  operator_id text not null references operators,
  status text not null default 'opening' check (status in ('opening', 'open', 'answered', 'refused', 'expired')),
  url text,                             -- encrypted; deleted once it was answered, or after an hour
  return_to text not null,              -- the address of the service
  life_seen_at timestamptz,
  woken_at timestamptz,                 -- by the reconciler, last
  created_at timestamptz not null default clock_timestamp(),
  -- When the reconciler looks at it, while it opens: a life that has seen it ends it after a quarter of an hour.
  look_at timestamptz not null generated always as (case
    when woken_at > life_seen_at or life_seen_at is null and woken_at is not null
      then (woken_at at time zone 'UTC' + interval '1 minute') at time zone 'UTC'
    when life_seen_at is null then (created_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    else (created_at at time zone 'UTC' + interval '16 minutes') at time zone 'UTC' end) stored,
  constraint portal_sessions_url check ((url is not null) = (status = 'open'))
);
create index portal_sessions_age on portal_sessions (created_at);
create index portal_sessions_due on portal_sessions (look_at) where status = 'opening';
create index portal_sessions_seen on portal_sessions (greatest(life_seen_at, woken_at)) where status = 'opening';
-- Those whose address has to be deleted.
create index portal_sessions_open on portal_sessions (created_at) where status = 'open';

-- ── Payouts ──

-- One row for each operator and month: what was captured up to the month's end (UTC) and not paid out yet, what earlier months carried
-- over included. Commission is taken when it is paid out, so each cent is charged once (decision K42). `status`:
--   rolled_over      less than the minimum, or the operator is suspended: part of the next month's
--   pending_account  the operator has named no account: part of the next month's
--   due              waits for its transfer to begin; nothing has moved. Part of the next month's if it still waits then
--   transferring     taken out of the earnings; the provider has not answered yet
--   paid, failed     the provider's final answer; failed: all of it is back in the earnings
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
  life_seen_at timestamptz,             -- also stamped by each try of a transfer
  woken_at timestamptz,                 -- by the reconciler, last
  created_at timestamptz not null default clock_timestamp(),
  paid_at timestamptz,
  -- When the reconciler looks at it, while it is due or transferring.
  look_at timestamptz not null generated always as (case
    when life_seen_at is null and woken_at is null then (created_at at time zone 'UTC' + interval '10 seconds') at time zone 'UTC'
    when status = 'transferring' and life_seen_at is not null
      then (greatest(life_seen_at, woken_at) at time zone 'UTC' + interval '1 hour') at time zone 'UTC'
    else (greatest(life_seen_at, woken_at) at time zone 'UTC' + interval '1 minute') at time zone 'UTC' end) stored,
  constraint payouts_month_key unique (operator_id, month),
  constraint payouts_commission check (commission_cents between 0 and gross_cents),
  constraint payouts_account check ((account is not null) = (status in ('transferring', 'paid', 'failed'))),
  constraint payouts_paid check ((status = 'paid') = (paid_at is not null) and (status = 'paid') = (provider_transfer_id is not null))
);
create index payouts_open on payouts (operator_id) where status in ('due', 'transferring');
create index payouts_due on payouts (look_at) where status = 'transferring' or (status = 'due' and life_seen_at is null);
-- Those that wait for a payment provider, and where there is one, for their life.
create index payouts_waiting on payouts (look_at) where status = 'due' and life_seen_at is not null;
create index payouts_seen on payouts (greatest(life_seen_at, woken_at)) where status in ('due', 'transferring');

-- Transfers that were taken back before we knew them: the answer to the payout's request is still to come.
create table transfer_reversals (
  transfer_id text primary key,         -- the provider's
  whole boolean not null,
  reported_at timestamptz not null default clock_timestamp()
);

-- Every status of a payout is one audit event.
create function audit_payout() returns trigger language plpgsql as $$
begin
  perform record_payout_event(new);
  return null;
end $$;

create trigger payout_begins after insert on payouts for each row execute function audit_payout();
create trigger payout_changes after update on payouts for each row when (old.status <> new.status) execute function audit_payout();

-- ── The local payment provider ──
-- Its books: who would pay whom if there were money (decision B8). They stand for what Stripe keeps on its side, so only
-- src/billing/payments/local reads them, and no ledger row refers to them.

-- For show on the local pages. What Stripe takes is set by the prices that the settings name.
create table local_prices (
  id text primary key,                  -- a paid tier, or `seat`
  amount_cents bigint not null check (amount_cents > 0)
);
insert into local_prices values ('developer', 2000), ('pro', 10000), ('business', 50000), ('seat', 1000);

-- Requests by idempotency key with their answers: the same request is answered the same, another one under the key is refused.
create table local_calls (
  key text primary key,
  request jsonb not null,
  answer jsonb,                         -- null only while the first call is under way
  created_at timestamptz not null default now()
);

create table local_customers (
  id text primary key,
  operator_id text not null unique references operators,
  name text not null,
  email text not null
);

create table local_subscriptions (
  id text primary key,
  customer_id text not null references local_customers,
  tier text not null references local_prices,
  purchased_seats int not null check (purchased_seats >= 0),
  status text not null default 'active' check (status in ('active', 'canceled')),
  cancel_at_period_end boolean not null default false,
  next_tier text references local_prices,
  -- Months since started_at, of which the current period is the last: each ends on the day of the month that it was bought on, or
  -- on the last one of a shorter month; the months after go back to the day (decision B12).
  months int not null default 1,
  started_at timestamptz not null default clock_timestamp(),
  period_start timestamptz not null,
  period_end timestamptz not null,
  constraint local_subscriptions_period check (period_start < period_end)
);

create table local_checkouts (
  id text primary key,
  purpose text not null check (purpose in ('top_up', 'subscription', 'upgrade')),
  reference text not null,              -- `top_…` or `sbc_…`
  customer_id text not null references local_customers,
  amount_cents bigint not null check (amount_cents > 0),
  tier text references local_prices,
  purchased_seats int,
  subscription_id text references local_subscriptions, -- of an upgrade from the start, of a subscription once it is paid
  status text not null default 'open' check (status in ('open', 'paid', 'failed', 'expired')),
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);

create table local_payments (
  id text primary key,
  receipt_id text not null unique, -- in the address of the receipt, which does not reveal the payment's id (decision B27)
  customer_id text not null references local_customers,
  checkout_id text unique references local_checkouts, -- null: a renewal
  subscription_id text references local_subscriptions,
  amount_cents bigint not null check (amount_cents > 0),
  refunded_cents bigint not null default 0,
  description text not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint local_payments_refunded check (refunded_cents between 0 and amount_cents)
);
create index local_payments_of_customer on local_payments (customer_id, created_at desc);

create table local_refunds (
  id text primary key,
  payment_id text not null references local_payments,
  amount_cents bigint not null check (amount_cents > 0),
  status text not null default 'succeeded' check (status in ('pending', 'succeeded', 'failed')),
  key text,                             -- that it was requested under
  created_at timestamptz not null default clock_timestamp()
);
create index local_refunds_of_payment on local_refunds (payment_id);

create table local_transfers (
  id text primary key,
  operator_id text not null,
  account text not null,
  amount_cents bigint not null check (amount_cents > 0),
  created_at timestamptz not null default clock_timestamp()
);

create table local_portals (
  id text primary key,
  customer_id text not null references local_customers,
  created_at timestamptz not null default clock_timestamp()
);

-- Webhooks of the local provider to the service; undelivered ones stay, for a person to see.
create table local_webhooks (
  id text primary key,                  -- evt_…
  body text not null,
  tries int not null default 0,
  delivered_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);
