-- Until when the checkout is expected (decision A38): the end of the lineage or of the estimated duration, or the revocation if that
-- was earlier. Nothing puts it off once a critical flag is raised, or the agent would choose itself how long it is not held: the estimate
-- counts no more, and a refresh ends by the last expiry (refresh_passport). It is missed a grace later. Null: it is not awaited.
create function checkout_expected(l passport_lineages) returns timestamptz language sql stable as $$
  select case when is_accountable(l) then
    least(
      case when has_critical_flag(l.id) then l.latest_expiry
        else greatest(l.latest_expiry, l.started_at + make_interval(secs => estimated_seconds(l))) end,
      l.revoked_at) end;
$$;
