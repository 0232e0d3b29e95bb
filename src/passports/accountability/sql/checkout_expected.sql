-- Until when the checkout is expected (decision A38): the end of the lineage or of the estimated duration, or the revocation if that
-- was earlier. The estimate puts nothing off once a critical flag is raised: whoever had estimated a day would be held a day later. It
-- counts as missed `p_checkout_grace` seconds later. Null: it is not awaited.
create function checkout_expected(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l) then
    least(
      case when has_critical_flag(l.id) then l.latest_expiry
        else greatest(l.latest_expiry, l.started_at + make_interval(secs => estimated_seconds(l))) end,
      l.revoked_at) end;
$$;
