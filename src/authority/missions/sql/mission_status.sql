-- The first of these that is true is shown: completed, expired.
create function mission_status(p_completed_at timestamptz, p_expires_at timestamptz) returns text language sql volatile as $$
  select case when p_completed_at is not null then 'completed' when p_expires_at <= clock_timestamp() then 'expired' else 'active' end;
$$;
