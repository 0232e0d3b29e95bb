-- Why no further delivery that somebody requests may wait for a destination; null: it may. A thousand wait at most: a receiver that is slow or away for long would
-- otherwise fill the table with what nobody needs any more when it comes.
create function hindrance_of_queue(d destinations) returns text language sql stable as $$
  select coalesce(hindrance_of(d), case when count_waiting_deliveries(d.id) >= 1000 then 'queue_full' end);
$$;
