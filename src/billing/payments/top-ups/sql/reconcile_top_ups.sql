-- Wakes the lives of top-ups that seem to have none, and deletes webhook events of a quarter of a year. A hundred rows, those of every
-- operator in turn among the thousand that are due longest (rule 11).
create function reconcile_top_ups(out looked int, out woken int, out forgotten int) language plpgsql as $$
declare
  -- A condition of an index can be a variable, and not what a volatile function returns.
  v_now constant timestamptz := clock_timestamp();
  v_since constant timestamptz := life_store_since();
begin
  with due as (
    (select id, operator_id as owner, look_at from top_ups where status in ('opening', 'open', 'processing') and look_at <= v_now
      order by look_at limit 1000)
    union all
    (select id, operator_id as owner, look_at from top_ups where status in ('opening', 'open', 'processing') and greatest(life_seen_at, woken_at) < v_since
      order by greatest(life_seen_at, woken_at) limit 1000)
    union all
    (select id, operator_id as owner, refunds_look_at as look_at from top_ups where refunds_look_at <= v_now order by refunds_look_at limit 1000)
  ), taken as (
    select id from (select id, look_at, row_number() over (partition by owner order by look_at) as turn from due) turns
      order by turn, look_at limit 100
  ), passed as (
    update top_ups set woken_at = v_now, refunds_look_at = case when refunds_look_at is not null then v_now + interval '10 minutes' end
    where id = any(array(
      select id from top_ups where id in (select id from taken) and (refunds_look_at <= v_now
          or (status in ('opening', 'open', 'processing') and (look_at <= v_now or greatest(life_seen_at, woken_at) < v_since)))
        for no key update skip locked))
      returning 'top-up:' || id as life, operator_id as owner
  ), all_passed as (select array_agg(life) as lives, array_agg(owner) as owners from passed)
  select w.looked, w.woken into looked, woken from all_passed a, wake_missing_lives(a.lives, a.owners) w;
  with old as (
    delete from payment_events where ctid = any(array(
      select ctid from payment_events where received_at < now() - interval '90 days'
      order by received_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;
