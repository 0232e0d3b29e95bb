-- The tokens that the models of an execution read and wrote.
create function tokens_of_run(p_invocation text) returns bigint language sql stable as $$
  select coalesce(sum((model_call ->> 'total_tokens')::bigint), 0)::bigint from sealed_steps where invocation_id = p_invocation;
$$;
