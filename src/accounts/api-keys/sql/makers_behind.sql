-- The line of makers of what a credential makes (decision A64): its own, with itself at the end. A person and the platform stand behind nothing,
-- and a maker that was deleted meanwhile begins a line by its name. The first maker always stays, since its places are counted. Another one is
-- left out where all that is below it is below the next one too: the two count the same then, and a key that is replaced again and
-- again by the one that it makes has no longer line for that. A maker that was deleted and has several below it stays, or each of these
-- would come out beside it. Five makers are kept.
create function makers_behind(p_credential text) returns text[] language sql stable strict as $$
  select (case
    when p_credential like 'key\_%' and p_credential <> 'key_platform' then coalesce(
      (select array(select maker from unnest(made.line) with ordinality as m (maker, nth)
          where nth in (1, cardinality(made.line)) or exists (select from credential_lines c
            where c.operator_id = made.operator_id and maker = any (c.line) and made.line[nth + 1] <> all (c.line)
              and (c.expires_at is null or c.expires_at > clock_timestamp()))
          order by nth)
        from key_families made where made.id = p_credential),
      array[p_credential])
    when p_credential like 'oauth:%' then array[p_credential]
    else '{}' end)[1:5];
$$;
