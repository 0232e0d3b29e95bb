-- The key that a refund is requested under. A provider answers a key that it refused with the refusal, so a refund that is requested again has
-- another one.
create function refund_key(p_transaction text, p_attempt int) returns text language sql immutable as $$
  select 'refund:' || p_transaction || case when p_attempt > 1 then ':' || p_attempt else '' end;
$$;
