-- The answer of a command that was carried out now.
create function invocation_answer_of(i invocations, p_messages int) returns invocation_answer language sql stable as $$
  select row(false, invocation_snapshot(i), i.input, i.output, p_messages)::invocation_answer;
$$;
