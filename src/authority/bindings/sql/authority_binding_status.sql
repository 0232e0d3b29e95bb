-- The first of these that is true is shown: revoked, expired, bound to another key than the agent's current one.
create function authority_binding_status(
  p_revoked_at timestamptz, p_expires_at timestamptz, p_bound_key text, p_current_key text
) returns text language sql volatile as $$
  select case when p_revoked_at is not null then 'revoked' when p_expires_at <= clock_timestamp() then 'expired'
    when p_bound_key is distinct from p_current_key then 'key_changed' else 'active' end;
$$;
