-- Processes begin and end the sending of an operator's codes one after the other, so that each counts the others.
create function lock_turns_of_codes(p_operator text) returns void language sql as $$
  select pg_advisory_xact_lock(1986356851, hashtext(p_operator));
$$;
