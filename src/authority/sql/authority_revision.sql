-- 0 where nothing ever changed.
create function authority_revision(p_operator text) returns bigint language sql stable as $$
  select coalesce((select revision from authority_revisions where operator_id = p_operator), 0);
$$;
