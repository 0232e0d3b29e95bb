-- The number behind an assurance level; an unknown level counts 0. Its twin is src/authority/identity-claims/assurance.ts.
create function assurance_rank(level text) returns int language sql immutable parallel safe as $$
  select case lower(level)
    when 'l1' then 1 when 'low' then 1 when 'basic' then 1 when 'ial1' then 1 when '1' then 1
    when 'l2' then 2 when 'substantial' then 2 when 'medium' then 2 when 'ial2' then 2 when '2' then 2
    when 'l3' then 3 when 'high' then 3 when 'ial3' then 3 when '3' then 3
    else 0 end;
$$;
