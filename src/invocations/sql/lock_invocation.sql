-- Locks the row for a command of one side. `p_authority` is the operator who calls, null for a signal from outside:
-- access to the Temporal namespace is its authority.
create function lock_invocation(p_invocation text, p_authority text, p_side text) returns invocations language plpgsql as $$
declare i invocations;
begin
  select * into i from invocations where id = p_invocation for no key update;
  if not found or p_authority not in (i.consumer_operator_id, i.provider_operator_id) then
    perform refuse('NOT_FOUND', 'There is no such invocation, or this credential may not see it.');
  end if;
  if p_side = 'provider' and p_authority <> i.provider_operator_id then
    perform refuse('NOT_PROVIDER', 'Only the operator who owns the skill may do this.');
  end if;
  if p_side = 'consumer' and p_authority <> i.consumer_operator_id then
    perform refuse('NOT_OWNER', 'Only the operator who invoked the skill may do this.');
  end if;
  return i;
end $$;
