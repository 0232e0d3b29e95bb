-- Refuses a caller that holds an earlier claim than the current one.
create function refuse_other_attempt(i invocations, p_attempt int) returns void language plpgsql as $$
begin
  if p_attempt <> i.attempt then
    perform refuse('LEASE_LOST', format('The current attempt is %s, not %s: ', i.attempt, p_attempt)
        || case when p_attempt < i.attempt then 'the invocation was claimed again since.' else 'no claim has had that number yet.' end,
      json_build_object('attempt', i.attempt));
  end if;
end $$;
