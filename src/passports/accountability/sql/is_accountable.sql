-- Whether it still has something to report. A revocation takes no obligation away (decision A38), or an agent could end its own
-- accountability by it.
create function is_accountable(l passport_lineages) returns boolean language sql stable as $$
  select l.accountability <> 'standard' and l.checked_out_at is null and l.checkout_missed_at is null;
$$;
