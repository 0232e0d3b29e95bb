-- The live approval of a request: the one that exists, or `p_id` made now. Of two callers at once one makes it and both get it.
create function request_approval(p_id text, p_operator text, p_action text, p_method text, p_path text, p_digest bytea, p_body text,
  p_requested_by text, p_seconds int)
returns table (id text, status text, expires_at timestamptz, made boolean) language plpgsql as $$
#variable_conflict use_column
begin
  loop
    update governance_approvals a set status = 'lapsed'
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved') and a.expires_at <= clock_timestamp();
    insert into governance_approvals as a (id, operator_id, action, method, path, body_digest, body, requested_by, expires_at)
      values (p_id, p_operator, p_action, p_method, p_path, p_digest, p_body, p_requested_by,
        clock_timestamp() + make_interval(secs => p_seconds))
      on conflict (operator_id, method, path, body_digest) where status in ('pending', 'approved') do nothing;
    return query
      select a.id, a.status, a.expires_at, a.id = p_id from governance_approvals a
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved');
    if found then return; end if;
  end loop;
end $$;
