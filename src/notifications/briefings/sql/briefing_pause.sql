-- How long after their last mail about work, or about security, people of an operator get the next: a minute, and five where the one before it
-- was sent less than six minutes earlier. So what comes after a quiet time is told within a minute, and a flood is a mail in five; the sixth
-- minute is for a mail that was a little late.
create function briefing_pause(p_mailed timestamptz, p_previous timestamptz) returns interval language sql immutable as $$
  select case when p_mailed - p_previous < interval '6 minutes' then interval '5 minutes' else interval '1 minute' end;
$$;
