-- A flag as the API shows it.
create function flag_json(f passport_flags) returns json language sql stable as $$
  select json_build_object('type', f.type, 'severity', f.severity, 'message', f.message, 'raised_at', iso_time(f.raised_at), 'jti', f.jti);
$$;
