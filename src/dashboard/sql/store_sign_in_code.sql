-- Keeps a new code, where it is the asker's turn: 30 s after their last, five within the life of a code. A browser that has signed in with
-- the address before (one of p_browsers) is an asker of its own; all others of a network are one, and have ten codes a day, and twenty of all
-- networks together. Codes that were used are not counted for the day. p_browsers: hashes of the cookies shown; the first names the request.
-- Returns the seconds to wait where it is too early, 0 where the code counts from now on. The twentieth leaves an audit event.
create function store_sign_in_code(
  p_address text, p_network text, p_browsers text[], p_code text, p_seconds int, p_email text, p_request text
) returns int language plpgsql as $$
declare
  v_known text;
  v_asker text;
  v_window constant interval := make_interval(secs => p_seconds);
  v_now timestamptz;
  v_turn timestamptz; -- the earliest moment of the next code that each limit allows
  v_next_day timestamptz;
  v_next_day_of_all timestamptz;
  v_strangers bigint; -- codes of today for browsers that are not known
begin
  perform forget_old_sign_ins();
  perform pg_advisory_xact_lock(1936287598, hashtext(p_address));
  v_now := clock_timestamp();
  select min(browser) into v_known from known_browsers
    where address = p_address and browser = any(p_browsers) and expires_at > v_now;
  v_asker := case when v_known is null then 'network:' || p_network else 'browser:' || v_known end;
  select
      next_code_at(array_agg(sent_at) filter (where asker = v_asker), v_window),
      case when v_known is null and count(*) filter (where asker = v_asker and code is not null) >= 10
        then min(sent_at) filter (where asker = v_asker and code is not null) + interval '24 hours' end,
      case when v_known is null and count(*) filter (where asker like 'network:%' and code is not null) >= 20
        then min(sent_at) filter (where asker like 'network:%' and code is not null) + interval '24 hours' end,
      count(*) filter (where asker like 'network:%' and code is not null)
    into v_turn, v_next_day, v_next_day_of_all, v_strangers
    from sign_in_codes where address = p_address and sent_at > v_now - interval '24 hours';
  if greatest(v_turn, v_next_day, v_next_day_of_all) > v_now then
    return ceil(extract(epoch from greatest(v_turn, v_next_day, v_next_day_of_all) - v_now));
  end if;
  insert into sign_in_codes (address, asker, browser, code, expires_at) values (p_address, v_asker, p_browsers[1], p_code, v_now + v_window);
  if v_known is null and v_strangers = 19 then
    insert into audit_events (operator_id, actor, action, target, detail, request_id)
      select operator_id, 'sign-in', 'dashboard_session.codes_used_up', id, '{}', p_request from memberships where lower(email) = lower(p_email);
  end if;
  return 0;
end $$;
