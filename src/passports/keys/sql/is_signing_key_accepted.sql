-- Whether tokens of this key are taken and it is shown in the JWKS: a retired one until the last of its tokens has expired
-- (an hour, the longest there is) and an hour more.
create function is_signing_key_accepted(k signing_keys) returns boolean language sql stable as $$
  select k.status in ('next', 'active') or (k.status = 'retired' and k.ended_at > statement_timestamp() - interval '2 hours');
$$;
