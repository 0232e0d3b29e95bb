-- When the reconciler looks at a session again that its life has seen: half a minute after the next deadline, when that life must
-- have missed it; never where a review is all that it waits for, since a person ends that. Null: nothing is owed in it.
create function look_at_session_next(p_session text, p_checkout_grace double precision) returns timestamptz language sql stable as $$
  select coalesce(
    (select min(next_deadline(l, p_checkout_grace)) + interval '30 seconds' from passport_lineages l where l.session_id = p_session),
    (select timestamptz 'infinity' from checkouts where session_id = p_session and review_status = 'pending' limit 1));
$$;
