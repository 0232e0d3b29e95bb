-- People of an operator are mailed about work, and about security, once in so long.
create function briefing_pause() returns interval language sql immutable as $$
  select interval '5 minutes';
$$;
