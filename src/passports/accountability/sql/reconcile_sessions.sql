-- What a lost message or a lost run left behind (rule 11): deadlines half a minute past are raised here and now,
-- and sessions whose life has not read what was added to them are woken. Bounded; rows that a command holds are left for
-- the next round.
create function reconcile_sessions(p_checkout_grace double precision, out woken int, out raised int) language plpgsql as $$
declare due passport_lineages;
begin
  raised := 0;
  for due in select l.* from passport_lineages l
    where is_accountable(l)
      and next_deadline(l, p_checkout_grace) < clock_timestamp() - interval '30 seconds'
    order by l.id limit 100 for no key update skip locked
  loop
    perform flag_missed_deadlines(due, clock_timestamp(), p_checkout_grace);
    perform wake_life('session:' || due.session_id);
    raised := raised + 1;
  end loop;
  woken := wake_lives(array(
    select distinct 'session:' || s.id
    from passport_lineages l join passport_sessions s on s.id = l.session_id
    where is_accountable(l)
      and l.started_at < clock_timestamp() - interval '10 seconds' and (s.life_seen_at is null or s.life_seen_at < greatest(l.started_at, life_store_since()))
      and not exists (select from life_messages m where m.life = 'session:' || s.id)
    limit 100));
end $$;
