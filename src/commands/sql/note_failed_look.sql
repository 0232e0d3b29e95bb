-- A look without a run that failed: it is due again in a minute, and the reason is shown.
create function note_failed_look(p_life text, p_reason text) returns void language sql as $$
  update lives set due_at = clock_timestamp() + interval '1 minute', failure = left(p_reason, 300) where life = p_life and not ready;
$$;
