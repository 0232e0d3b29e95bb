-- When a session is looked at again: a second after the next deadline; never by itself where a review is all that it waits for, since a person ends
-- that. Null: nothing is owed in it.
create function look_at_session_next(p_session text, p_checkout_grace double precision) returns timestamptz language sql stable as $$
  select coalesce(
    (select min(next_deadline(l, p_checkout_grace)) + interval '1 second' from passport_lineages l where l.session_id = p_session),
    (select timestamptz 'infinity' from checkouts where session_id = p_session and review_status = 'pending' limit 1));
$$;
