-- Whether all these agents have the facts of these digests now.
create function are_facts_unchanged(p_operator text, p_agents text[], p_digests text[]) returns boolean language sql stable as $$
  select not exists (select from unnest(p_agents, p_digests) as composed (agent, digest)
    where digest_of_facts(passport_facts_now(p_operator, agent)) is distinct from digest);
$$;
