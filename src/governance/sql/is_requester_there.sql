-- Whether the credential that made a request is still there: a request ends with who asked (decision A33). Of an access token nobody can
-- tell, and the platform's key is no row.
create function is_requester_there(p_operator text, p_requested_by text) returns boolean language sql stable as $$
  select case
    when p_requested_by like 'key\_%' and p_requested_by <> 'key_platform' then exists (
      select from key_families k where k.id = p_requested_by and k.operator_id = p_operator
        and (k.expires_at is null or k.expires_at > clock_timestamp()))
    when p_requested_by like 'mem\_%' then exists (
      select from memberships m where m.id = p_requested_by and m.operator_id = p_operator and m.joined)
    else true end;
$$;
