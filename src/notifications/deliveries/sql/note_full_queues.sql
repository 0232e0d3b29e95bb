-- Looks whether a thousand deliveries wait for each of these destinations, and notes it where it is so, for five minutes: a life looks again
-- within two. It passes by those that somebody else has locked.
create function note_full_queues(p_destinations text[]) returns void language sql as $$
  update destinations x set queue_full_until = case when looked.is_full then clock_timestamp() + interval '5 minutes' end
  from (
    select id, count_waiting_deliveries(id) >= 1000 as is_full from destinations where id = any(p_destinations)
      for no key update skip locked) looked
  where x.id = looked.id and (looked.is_full or x.queue_full_until is not null);
$$;
