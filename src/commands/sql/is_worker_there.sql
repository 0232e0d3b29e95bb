-- Whether there is a worker: one of them begins a round of each task every few seconds, and notes when the next is due; it is late by
-- less than these seconds.
create function is_worker_there(p_late double precision) returns boolean language sql stable as $$
  select exists (select from rounds where next_at > clock_timestamp() - make_interval(secs => p_late))
$$;
