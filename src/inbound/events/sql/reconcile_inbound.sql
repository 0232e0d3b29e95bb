-- Wakes the lives of events that seem to have none or are late. A hundred, those of every operator in turn among the thousand that are due
-- longest (rule 11).
create function reconcile_inbound(out looked int, out woken int) language plpgsql as $$
declare
  -- A condition of an index can be a variable, and not what a volatile function returns.
  v_now constant timestamptz := clock_timestamp();
  v_since constant timestamptz := life_store_since();
begin
  with due as (
    (select id, operator_id as owner, look_at from inbound_events where status in ('received', 'scanning') and look_at <= v_now
      order by look_at limit 1000)
    union all
    (select id, operator_id as owner, look_at from inbound_events
      where status in ('received', 'scanning') and greatest(life_seen_at, woken_at) < v_since
      order by greatest(life_seen_at, woken_at) limit 1000)
  ), taken as (
    select id from (select id, look_at, row_number() over (partition by owner order by look_at) as turn from due) turns
      order by turn, look_at limit 100
  ), passed as (
    update inbound_events set woken_at = v_now where id = any(array(
      select id from inbound_events where id in (select id from taken) and status in ('received', 'scanning')
        and (look_at <= v_now or greatest(life_seen_at, woken_at) < v_since)
        for no key update skip locked))
      returning 'inbound:' || id as life, operator_id as owner
  ), all_passed as (select array_agg(life) as lives, array_agg(owner) as owners from passed)
  select w.looked, w.woken into looked, woken from all_passed a, wake_missing_lives(a.lives, a.owners) w;
end $$;
