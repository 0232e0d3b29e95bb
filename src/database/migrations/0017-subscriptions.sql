-- Subscriptions: what an operator has bought for a month, the changes of it that wait for somebody, and pages of the provider's portal.

-- One row an operator that ever asked for a subscription. What stands here of the provider's is as of `state_at`; what the operator
-- has decided since (seats, cancelling, a smaller tier next) counts at once, and its life tells the provider: `revision` counts such
-- decisions, up to `told_revision` the provider knows them.
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
  told_revision int not null default 0,
  state_at timestamptz,
  ask_at timestamptz,                   -- when the provider is asked next: after an event, at an expiry, at the end of the period
  due_at timestamptz default clock_timestamp(), -- when its life looks at the latest; null: it has nothing to do
  constraint subscriptions_told check (told_revision <= revision),
  constraint subscriptions_running check (status in ('none', 'ended')
    or (subscription_id is not null and tier is not null and period_start < period_end)),
  constraint subscriptions_over check (status in ('active', 'past_due', 'unpaid')
    or (not cancel_at_period_end and next_tier is null and purchased_seats = 0 and revision = told_revision))
);
create index subscriptions_due on subscriptions (due_at) where due_at is not null;

-- Each answer to a subscribe. One that somebody has to pay is in flight until it was paid or is over; an operator has one in flight.
create table subscription_changes (
  id text primary key,
  operator_id text not null references subscriptions,
  kind text not null check (kind in ('start', 'upgrade', 'downgrade', 'resume')),
  tier text not null references tiers (name),
  status text not null check (status in ('opening', 'waiting', 'done', 'failed', 'expired', 'abandoned', 'refused', 'superseded')),
  effective_at timestamptz,             -- of a downgrade
  expires_at timestamptz,               -- of what is to be paid
  tried boolean not null default false, -- the provider was asked for the page: there may be one
  session_id text unique,
  checkout_url text,                    -- sealed; gone once it opens nothing any more
  closing boolean not null default false, -- given up here, and perhaps still open at the provider
  created_at timestamptz not null default clock_timestamp(),
  constraint subscription_changes_url check ((checkout_url is not null) = (status = 'waiting')),
  constraint subscription_changes_to_pay check ((expires_at is not null) = (kind in ('start', 'upgrade')))
);
create unique index subscription_changes_in_flight on subscription_changes (operator_id) where status in ('opening', 'waiting');
create index subscription_changes_closing on subscription_changes (operator_id) where closing;

-- How many people work for an operator.
create function people_of(p_operator text) returns int language sql stable as $$
  select count(*)::int from members where operator_id = p_operator;
$$;

-- The month that an operator pays for, from the day of purchase on; without a subscription the UTC calendar month.
create function billing_period_of(p_operator text) returns table (period_start timestamptz, period_end timestamptz)
language sql stable as $$
  select coalesce(s.period_start, m.first), coalesce(s.period_end, date_add(m.first, interval '1 month', 'UTC'))
  from (select date_trunc('month', clock_timestamp(), 'UTC') as first) m
  left join subscriptions s on s.operator_id = p_operator and s.status in ('active', 'past_due', 'unpaid');
$$;

-- Seats of the tier and bought ones, never more than the ceiling; null: without limit.
create function seats_of(p_operator text) returns table (included int, purchased int, total int, ceiling int, in_use int)
language sql stable as $$
  select t.seats, coalesce(s.purchased_seats, 0), least(t.seats + coalesce(s.purchased_seats, 0), t.seat_ceiling), t.seat_ceiling,
    people_of(o.id)
  from operators o join tiers t on t.name = o.tier left join subscriptions s on s.operator_id = o.id
  where o.id = p_operator;
$$;

create type subscription_step as (todo text, change_id text, status text, tier text, wait_ms bigint, until text);

-- One step of the life of a subscription: forgets the messages that woke it and says what is to do next. What was given up is closed
-- first, so that there are never two pages to pay. `gone`: there is no such row. `end`: nothing runs, nothing is open.
create function advance_subscription(p_operator text) returns subscription_step language plpgsql as $$
declare s subscriptions; c subscription_changes; todo text;
begin
  delete from life_messages where life = 'subscription:' || p_operator;
  select * into s from subscriptions where operator_id = p_operator for no key update;
  if not found then return row('gone', null, null, null, null, null)::subscription_step; end if;
  select * into c from subscription_changes where operator_id = p_operator and closing order by id limit 1;
  if not found then
    select * into c from subscription_changes where operator_id = p_operator and status in ('opening', 'waiting');
  end if;
  todo := case
    when c.closing then 'close'
    when c.status = 'opening' then 'open'
    when s.revision > s.told_revision then 'tell'
    when s.ask_at <= clock_timestamp() then 'ask'
    when c.status = 'waiting' or s.status in ('active', 'past_due', 'unpaid') then 'wait'
    else 'end' end;
  -- A step at the provider is given up after a minute and decided on anew.
  update subscriptions
    set due_at = case todo when 'end' then null when 'wait' then s.ask_at else clock_timestamp() + interval '2 minutes' end
    where operator_id = p_operator;
  return row(todo, c.id, s.status, coalesce(c.tier, s.tier),
    greatest(1000, ceil(extract(epoch from s.ask_at - clock_timestamp()) * 1000)::bigint), iso_time(s.ask_at))::subscription_step;
end $$;

-- Wakes the lives of subscriptions that seem to have none.
create function reconcile_subscriptions() returns int language sql as $$
  with missing as (
    select operator_id from subscriptions s
    where due_at < clock_timestamp() - interval '10 seconds'
      and not exists (select from life_messages l where l.life = 'subscription:' || s.operator_id)
    order by due_at limit 100
  ), waking as (insert into life_messages (life, kind) select 'subscription:' || operator_id, 'due' from missing returning 1)
  select count(*)::int from waking;
$$;

-- A page of the provider's portal, made for one caller.
create table portal_sessions (
  id text primary key,
  operator_id text not null references operators,
  status text not null default 'opening' check (status in ('opening', 'open', 'answered', 'refused', 'expired')),
  url text,                             -- sealed; gone once it was answered, or after an hour
  life_seen_at timestamptz,
  created_at timestamptz not null default clock_timestamp(),
  constraint portal_sessions_url check ((url is not null) = (status = 'open'))
);
create index portal_sessions_age on portal_sessions (created_at);

-- One step of the life of a portal session: forgets the messages that woke it; after a quarter of an hour nobody waits for it.
create function advance_portal(p_portal text) returns text language plpgsql as $$
declare state text;
begin
  delete from life_messages where life = 'portal:' || p_portal;
  update portal_sessions set life_seen_at = clock_timestamp(),
      status = case when status = 'opening' and created_at < clock_timestamp() - interval '15 minutes' then 'expired' else status end
    where id = p_portal returning status into state;
  return coalesce(state, 'gone');
end $$;

-- Wakes the lives of portal sessions that seem to have none, drops addresses an hour old, forgets sessions a week old.
create function reconcile_portals() returns int language plpgsql as $$
declare woken int;
begin
  with missing as (
    select p.id from portal_sessions p
    where p.status = 'opening' and p.created_at < clock_timestamp() - interval '10 seconds'
      and (p.life_seen_at is null or p.created_at < clock_timestamp() - interval '16 minutes')
      and not exists (select from life_messages l where l.life = 'portal:' || p.id)
    limit 100
  ), waking as (insert into life_messages (life, kind) select 'portal:' || id, 'due' from missing returning 1)
  select count(*)::int into woken from waking;
  update portal_sessions set status = 'expired', url = null
    where status = 'open' and created_at < clock_timestamp() - interval '1 hour';
  delete from portal_sessions where ctid = any(array(
    select ctid from portal_sessions where status <> 'opening' and created_at < clock_timestamp() - interval '7 days'
    order by created_at limit 1000 for update skip locked));
  return woken;
end $$;
