-- The facts of one moment with the revision that they belong to, and with their digest: after a change that was about something
-- else they are the same, and hold on.
create function passport_facts(p_operator text, p_agent text) returns json language sql stable as $$
  select json_build_object('revision', authority_revision(p_operator), 'digest', digest_of_facts(facts), 'facts', facts)
  from passport_facts_now(p_operator, p_agent) as facts where facts is not null;
$$;
