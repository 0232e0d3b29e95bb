-- Sessions and browsers whose time is over, and codes that no limit counts any more; at most 100 of each a call, and a call leaves one
-- of each at most.
create function forget_old_sign_ins() returns void language sql as $$
  delete from dashboard_sessions where ctid = any(array(
    select ctid from dashboard_sessions where expires_at <= clock_timestamp() order by expires_at limit 100 for update skip locked));
  delete from known_browsers where ctid = any(array(
    select ctid from known_browsers where expires_at <= clock_timestamp() order by expires_at limit 100 for update skip locked));
  delete from sign_in_codes where ctid = any(array(
    select ctid from sign_in_codes where sent_at <= clock_timestamp() - interval '24 hours' and expires_at <= clock_timestamp()
    order by sent_at limit 100 for update skip locked));
$$;
