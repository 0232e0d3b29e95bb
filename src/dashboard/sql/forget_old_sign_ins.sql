-- Sessions that are over, and addresses whose window is; at most 100 of each a call, and a call leaves one of either at most.
create function forget_old_sign_ins() returns void language sql as $$
  delete from dashboard_sessions where ctid = any(array(
    select ctid from dashboard_sessions where expires_at <= clock_timestamp() order by expires_at limit 100 for update skip locked));
  delete from sign_in_codes where ctid = any(array(
    select ctid from sign_in_codes where window_ends_at <= clock_timestamp() and expires_at <= clock_timestamp() and sent_at <= clock_timestamp() - interval '30 seconds'
    order by window_ends_at limit 100 for update skip locked));
$$;
