-- Wakes the lives of mails that seem to have none, and deletes mails a week old. A hundred rows, those of every recipient in turn among
-- the thousand that are due longest (rule 11).
create function reconcile_mails(out looked int, out woken int, out forgotten int) language plpgsql as $$
declare
  -- A condition of an index can be a variable, and not what a volatile function returns.
  v_now constant timestamptz := clock_timestamp();
  v_since constant timestamptz := life_store_since();
begin
  with due as (
    (select id, lower(recipient) as owner, look_at from mails where status = 'waiting' and look_at <= v_now
      order by look_at limit 1000)
    union all
    (select id, lower(recipient) as owner, look_at from mails where status = 'waiting' and greatest(life_seen_at, woken_at) < v_since
      order by greatest(life_seen_at, woken_at) limit 1000)
  ), taken as (
    select id from (select id, look_at, row_number() over (partition by owner order by look_at) as turn from due) turns
      order by turn, look_at limit 100
  ), passed as (
    update mails set woken_at = v_now where id = any(array(
      select id from mails where id in (select id from taken) and status = 'waiting'
        and (look_at <= v_now or greatest(life_seen_at, woken_at) < v_since)
        for no key update skip locked))
      returning 'mail:' || id as life, lower(recipient) as owner
  ), all_passed as (select array_agg(life) as lives, array_agg(owner) as owners from passed)
  select w.looked, w.woken into looked, woken from all_passed a, wake_missing_lives(a.lives, a.owners) w;
  with old as (
    delete from mails where ctid = any(array(
      select ctid from mails where status <> 'waiting' and created_at < now() - interval '7 days'
      order by created_at limit 1000 for update skip locked)) returning 1)
  select count(*) into forgotten from old;
end $$;
