-- The books of the local payment provider (decisions B8): who would pay whom, had there been money. They stand for what Stripe keeps
-- on its side, so nothing of the service reads them but src/billing/local-payments, and no ledger row refers to them.

-- For show on the local pages, in cents; what Stripe takes is what the prices say that the settings name.
create table local_prices (
  id text primary key,                  -- a paid tier, or `seat`
  amount_cents bigint not null check (amount_cents > 0)
);
insert into local_prices values ('developer', 2000), ('pro', 10000), ('business', 50000), ('seat', 1000);

-- What was asked under a key, and what was answered: the same again answers the same, something else is refused.
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
  -- on the last one of a shorter month, and the day is not lost by it (decisions B12).
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
  receipt_id text not null unique default new_prefixed_id('lpay'), -- in the address of the receipt, which never tells the payment (decisions B27)
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
  created_at timestamptz not null default clock_timestamp()
);

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

-- What the service was to be told; undelivered ones stay, for a person to see.
create table local_webhooks (
  id text primary key,                  -- evt_…
  body text not null,
  tries int not null default 0,
  delivered_at timestamptz,
  created_at timestamptz not null default clock_timestamp()
);

create function local_price(p_tier text, p_seats int) returns bigint language sql stable as $$
  select amount_cents + p_seats * (select amount_cents from local_prices where id = 'seat') from local_prices where id = p_tier;
$$;

-- Brings a subscription up to now: each period that is over is paid and renewed, in the tier planned for it, or ends the subscription.
create function local_renew(p_subscription text) returns void language plpgsql as $$
declare s local_subscriptions;
begin
  select * into s from local_subscriptions where id = p_subscription for no key update;
  while s.status = 'active' and s.period_end <= clock_timestamp() loop
    if s.cancel_at_period_end then
      s.status := 'canceled';
    else
      s.months := s.months + 1;
      s.period_start := s.period_end;
      s.period_end := s.started_at + make_interval(months => s.months);
      s.tier := coalesce(s.next_tier, s.tier);
      s.next_tier := null;
      insert into local_payments (id, customer_id, subscription_id, amount_cents, description, created_at)
        values (new_prefixed_id('lpay'), s.customer_id, s.id, local_price(s.tier, s.purchased_seats), 'Renewal, ' || s.tier, s.period_start);
    end if;
    update local_subscriptions set status = s.status, months = s.months, period_start = s.period_start, period_end = s.period_end,
      tier = s.tier, next_tier = s.next_tier where id = s.id;
  end loop;
end $$;
