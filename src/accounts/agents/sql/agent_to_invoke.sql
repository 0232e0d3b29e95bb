-- The agent that an invocation names or whose passport it names, with its budget of the month; refused where it is not an active
-- agent of the operator, one that is retired before one that is blocked. `p_field` is the field of the body that named it.
create function agent_to_invoke(p_operator text, p_agent text, p_field text, out id text, out monthly_limit_cents bigint)
language plpgsql as $$
declare agent agents;
begin
  select * into agent from agents a where a.id = p_agent and a.operator_id = p_operator;
  if not found or agent.retired_at is not null or agent.status = 'disabled' then
    perform refuse_field(p_field, 'must be an active agent of yours');
  end if;
  if agent.status = 'blocked' then
    perform refuse('AGENT_BLOCKED', format('The agent %s is blocked; an administrator unblocks it.', agent.id),
      json_build_object('agent_id', agent.id));
  end if;
  id := agent.id;
  monthly_limit_cents := agent.monthly_limit_cents;
end $$;
