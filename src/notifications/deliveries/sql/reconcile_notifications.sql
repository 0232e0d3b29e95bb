-- Wakes the lives of destinations for which something is open that nobody looks after: a delivery that came more than ten seconds ago, and no
-- life has looked since, or for two minutes; or a call that cannot last any longer. A hundred destinations, those of every operator in turn
-- among the thousand deliveries that are due longest (rule 11). What a life looks after is looked at again two minutes after its last look,
-- or half a minute on, while it sends. Full queues are noted, also where no life runs. `looked`: how many destinations.
create function reconcile_notifications(out looked int, out woken int) language plpgsql as $$
declare
  -- A condition of an index can be a variable, and not what a volatile function returns.
  v_now constant timestamptz := clock_timestamp();
  v_since constant timestamptz := life_store_since();
  v_taken text[];
begin
  with due as (
    (select id, destination_id, operator_id, created_at, started_at, look_at from deliveries where status = 'sending' and look_at <= v_now
      order by look_at limit 1000)
    union
    (select id, destination_id, operator_id, created_at, started_at, look_at from deliveries
      where status = 'sending' and greatest(created_at, started_at, looked_at) < v_since
      order by greatest(created_at, started_at, looked_at) limit 1000)
  ), found as ( -- by ids, so that no plan reads them all
    select id, life_seen_at, sending_until from destinations where id = any(array(select destination_id from due))
  ), seen as (
    select due.*, coalesce(found.life_seen_at, '-infinity') as seen_at, coalesce(found.sending_until > v_now, false) as has_turn
    from due left join found on found.id = due.destination_id
  ), standing as (
    select destination_id as id, operator_id as owner, min(look_at) as look_at,
      case when has_turn then greatest(v_now - interval '90 seconds', v_since) else seen_at end as looked_at,
      seen_at < v_since or bool_or(case
        when started_at is not null then started_at <= v_now - interval '40 seconds'
        else not has_turn and created_at <= v_now - interval '10 seconds'
          and (seen_at < created_at or seen_at <= v_now - interval '2 minutes') end) as is_left
    from seen group by destination_id, operator_id, seen_at, has_turn
  ), taken as (
    select id, owner, looked_at, is_left
    from (select standing.*, row_number() over (partition by owner order by look_at) as turn from standing) turns
    order by turn, look_at limit 100
  ), passed as (
    update deliveries x set looked_at = case when taken.is_left then v_now else taken.looked_at end
    from taken
    where x.destination_id = taken.id and x.id = any(array(
      select y.id from deliveries y
        where y.id = any(array(select due.id from due join taken on taken.id = due.destination_id)) and y.status = 'sending'
        for no key update skip locked))
    returning x.destination_id as id
  ), missing as (
    select 'notification:' || taken.id as life, taken.owner from taken
    where taken.is_left and taken.id in (select id from passed)
      and not exists (select from life_messages m where m.life = 'notification:' || taken.id)
  )
  select (select count(*) from taken), wake_lives(coalesce(array_agg(life), '{}'), coalesce(array_agg(owner), '{}')),
      (select array_agg(id) from taken)
    into looked, woken, v_taken from missing;
  perform note_full_queues(v_taken);
end $$;
