-- Equal facts have equal digests.
create function digest_of_facts(p_facts json) returns text language sql immutable parallel safe as $$
  select md5(p_facts::text);
$$;
