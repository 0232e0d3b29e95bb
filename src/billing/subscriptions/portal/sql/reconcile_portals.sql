-- Wakes the lives of portal sessions that seem to have none, deletes addresses an hour old and sessions a week old. A hundred rows, those
-- of every operator in turn among the thousand that are due longest (rule 11).
create function reconcile_portals(out looked int, out woken int) language plpgsql as $$
declare
  -- A condition of an index can be a variable, and not what a volatile function returns.
  v_now constant timestamptz := clock_timestamp();
  v_since constant timestamptz := life_store_since();
begin
  with due as (
    (select id, operator_id as owner, look_at from portal_sessions where status = 'opening' and look_at <= v_now
      order by look_at limit 1000)
    union all
    (select id, operator_id as owner, look_at from portal_sessions where status = 'opening' and greatest(life_seen_at, woken_at) < v_since
      order by greatest(life_seen_at, woken_at) limit 1000)
  ), taken as (
    select id from (select id, look_at, row_number() over (partition by owner order by look_at) as turn from due) turns
      order by turn, look_at limit 100
  ), passed as (
    update portal_sessions set woken_at = v_now where id = any(array(
      select id from portal_sessions where id in (select id from taken) and status = 'opening'
        and (look_at <= v_now or greatest(life_seen_at, woken_at) < v_since)
        for no key update skip locked))
      returning 'portal:' || id as life, operator_id as owner
  ), all_passed as (select array_agg(life) as lives, array_agg(owner) as owners from passed)
  select w.looked, w.woken into looked, woken from all_passed a, wake_missing_lives(a.lives, a.owners) w;
  update portal_sessions set status = 'expired', url = null where status = 'open' and created_at < v_now - interval '1 hour';
  delete from portal_sessions where ctid = any(array(
    select ctid from portal_sessions where status <> 'opening' and created_at < v_now - interval '7 days'
    order by created_at limit 1000 for update skip locked));
end $$;
