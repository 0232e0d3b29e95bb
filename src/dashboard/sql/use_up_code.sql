-- Forgets a code that was entered, with those that the same asker or browser requested before, and remembers the browser for 90 days.
-- The rows stay, since they count the codes that were sent.
create function use_up_code(p_id bigint, p_browsers text[]) returns void language plpgsql as $$
declare used sign_in_codes;
begin
  select * into strict used from sign_in_codes where id = p_id;
  update sign_in_codes set code = null where address = used.address and (asker = used.asker or browser = used.browser);
  insert into known_browsers (address, browser, expires_at)
    select used.address, used.browser, clock_timestamp() + interval '90 days' where used.browser = any(p_browsers)
    on conflict (address, browser) do update set expires_at = excluded.expires_at;
end $$;
