-- Until when the checkout is expected (decision A38): the end of the lineage or of the estimated duration, or the revocation if that
-- was earlier. It counts as missed `p_checkout_grace` seconds later. Null: it is not awaited.
create function checkout_expected(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l) then
    least(greatest(l.latest_expiry, l.started_at + make_interval(secs => estimated_seconds(l))), l.revoked_at) end;
$$;
