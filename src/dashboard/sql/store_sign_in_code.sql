-- Puts a new code in the place of the old one: 30 s after that at the earliest, five a window, which lasts as long as a code.
-- Returns the seconds to wait where it is too early, 0 where the code counts from now on.
create function store_sign_in_code(p_address text, p_code text, p_seconds int) returns int language plpgsql as $$
declare wait double precision;
begin
  perform forget_old_sign_ins();
  insert into sign_in_codes as c (address, code, expires_at, window_ends_at)
    values (p_address, p_code, clock_timestamp() + make_interval(secs => p_seconds), clock_timestamp() + make_interval(secs => p_seconds))
    on conflict (address) do update set code = excluded.code, tries = 0, sent_at = clock_timestamp(),
      expires_at = clock_timestamp() + make_interval(secs => p_seconds),
      window_sent = case when c.window_ends_at <= clock_timestamp() then 1 else c.window_sent + 1 end,
      window_ends_at = case when c.window_ends_at <= clock_timestamp() then clock_timestamp() + make_interval(secs => p_seconds)
        else c.window_ends_at end
      where c.sent_at <= clock_timestamp() - interval '30 seconds'
        and (c.window_sent < 5 or c.window_ends_at <= clock_timestamp());
  if found then return 0; end if;
  select greatest(1,
      extract(epoch from c.sent_at + interval '30 seconds' - clock_timestamp()),
      case when c.window_sent >= 5 then extract(epoch from c.window_ends_at - clock_timestamp()) else 0 end)
    into wait from sign_in_codes c where c.address = p_address;
  return ceil(coalesce(wait, 1));
end $$;
