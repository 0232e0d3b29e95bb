-- Whether a run looked at this life, or one was started for it that has not looked yet. A look without a run counts itself in `attempts`. A life that
-- Temporal refuses has none.
create function may_have_run(p_life text) returns boolean language sql stable as $$
  select exists (
    select from lives r where r.life = p_life and not r.ready and r.refused_at is null and (r.epoch is null) = (r.attempts > 0));
$$;
