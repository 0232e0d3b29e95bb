-- A hold of any agent of a chain holds all that came of it: a child works by what the agents above were given (decision A30).
create function refuse_chain_under_review(p_lineage text) returns void language plpgsql as $$
declare v_agent text;
begin
  for v_agent in select agents_of_chain(p_lineage) loop
    if is_agent_under_review(v_agent) then perform refuse_agent_under_review(v_agent); end if;
  end loop;
end $$;
