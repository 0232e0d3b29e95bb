-- One table says when somebody must look at a life. It was three: messages that commands left, columns of twelve tables that said when to look
-- at a row again, and a sweep over each of them. A row of `lives` is a message of a command, or what the last look left: when the next is due.
-- Several rows of one life stand beside each other, since one row that every command changes would make them wait for each other; a look
-- deletes those that it sees.
alter table life_messages rename to lives;
alter table lives rename column next_attempt_at to due_at;
alter table lives
  -- Whether it is to be delivered as soon as it is due. Otherwise somebody looks whether it is due: what the last look left, and what was delivered
  -- a moment ago.
  add column ready boolean not null default true,
  -- In which store of lives the last look was (`life_store`); null: no look left this row, or none of this store is known.
  add column epoch int,
  add column failure text;              -- why it could not be delivered, last
comment on column lives.parked is 'Of releases before 0029: nothing reads it any more.';
comment on column lives.lease_until is 'Of releases before 0051, which lease by it; a later one moves due_at.';
drop index life_messages_due;
alter index life_messages_of_life rename to lives_of_life;
alter index life_messages_refused rename to lives_refused;
-- Leads from one owner to the next, and to what of theirs is to be delivered.
create index lives_ready on lives (priority, owner, due_at) where ready;
-- What is due of a store, and what is of another store.
create index lives_waiting on lives (epoch, due_at) where not ready;

-- How many lives are woken again since the store is another one: they take their turns over as long as Temporal needs for them.
alter table life_store add column open_lives bigint not null default 0;

-- For a release before this one that runs beside it, or after a way back: what it knows as messages. It deletes a message that it has delivered
-- or looked at, and says nowhere in this table when to look again: in a minute somebody does.
create view life_messages as
  select id, life, created_at, due_at as next_attempt_at, lease_until, attempts, parked, owner, priority, refused_at from lives where ready;
create function keep_life_of_message() returns trigger language plpgsql as $$
begin
  if exists (select from lives where life = old.life and not ready and id <> old.id) then
    delete from lives where id = old.id;
  else
    update lives set ready = false, due_at = clock_timestamp() + interval '1 minute', lease_until = null where id = old.id;
  end if;
  return old;
end $$;
create trigger message_is_done instead of delete on life_messages for each row execute function keep_life_of_message();

-- What is open now, due when the columns of its table say so.
do $$
declare
  v_epoch constant int := coalesce((select epoch from life_store), 1);
  v_since constant timestamptz := coalesce((select since from life_store), '-infinity');
begin
  insert into lives (life, owner, due_at, ready, epoch)
    select 'invocation:' || id, consumer_operator_id, look_at, false, life_epoch from invocations where status in ('pending', 'processing')
    union all select 'session:' || id, operator_id, look_at, false, life_epoch from passport_sessions where look_at is not null
    union all select 'subscription:' || operator_id, operator_id, due_at + interval '10 seconds', false, v_epoch from subscriptions where due_at is not null
    union all select 'log-sequencer:' || id, 'op_platform', clock_timestamp(), false, null from claim_log;
  -- Of the others the epoch follows from the last moment at which somebody looked.
  insert into lives (life, owner, due_at, ready, epoch)
    select life, owner, look_at, false, case when seen >= v_since then v_epoch end from (
      select 'mail:' || id as life, lower(recipient) as owner, look_at, greatest(life_seen_at, woken_at) as seen from mails where status = 'waiting'
      union all select 'top-up:' || id, operator_id, least(case when status in ('opening', 'open', 'processing') then look_at end, refunds_look_at),
          greatest(life_seen_at, woken_at) from top_ups where status in ('opening', 'open', 'processing') or refunds_look_at is not null
      union all select 'refund:' || id, operator_id, look_at, greatest(life_seen_at, woken_at) from refunds where status = 'pending'
      union all select 'portal:' || id, operator_id, look_at, greatest(life_seen_at, woken_at) from portal_sessions where status = 'opening'
      union all select 'payout:' || operator_id || ':' || month, operator_id, look_at, greatest(life_seen_at, woken_at)
        from payouts where status in ('due', 'transferring')
      union all select 'verification:' || id, operator_id, look_at, greatest(life_seen_at, woken_at)
        from verification_codes where status in ('waiting', 'sending')
      union all select 'inbound:' || id, operator_id, look_at, greatest(life_seen_at, woken_at) from inbound_events where status in ('received', 'scanning')
      union all select 'notification:' || destination_id, operator_id, min(look_at), min(greatest(created_at, started_at, looked_at))
        from deliveries where status = 'sending' group by destination_id, operator_id
    ) open;
end $$;
