-- Whether the caller does the next round of a task. Of several workers one does; a worker that dies leaves the round after it to
-- the others.
create function take_round(p_task text, p_seconds double precision) returns boolean language plpgsql as $$
begin
  insert into rounds (task, next_at) values (p_task, clock_timestamp() + make_interval(secs => p_seconds))
    on conflict (task) do update set next_at = excluded.next_at where rounds.next_at <= clock_timestamp();
  return found;
end $$;
