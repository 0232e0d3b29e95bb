-- Wakes the lives of refunds that seem to have none. Waking counts as seeing, as with top-ups.
create function reconcile_refunds() returns int language plpgsql as $$
declare woken int;
begin
  with missing as (
    update refunds set life_seen_at = case when life_seen_at is not null then clock_timestamp() end
    where id = any(array(
      select id from refunds m where status = 'pending'
        and ((life_seen_at is null and created_at < clock_timestamp() - interval '10 seconds')
          or life_seen_at < life_store_since()
          or (next_call_at < clock_timestamp() - interval '1 minute' and life_seen_at < clock_timestamp() - interval '10 minutes'))
        and not exists (select from life_messages l where l.life = 'refund:' || m.id)
      limit 100 for update skip locked))
    returning id
  ) select wake_lives(array(select 'refund:' || id from missing)) into woken;
  return woken;
end $$;
