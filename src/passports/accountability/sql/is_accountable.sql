-- Whether it still has something to report. A revocation ends all timers.
create function is_accountable(l passport_lineages) returns boolean language sql stable as $$
  select l.accountability <> 'standard' and l.checked_out_at is null and l.checkout_missed_at is null and l.revoked_at is null;
$$;
