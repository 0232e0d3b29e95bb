-- Something that a person must look at, once a kind and thing: what was dismissed is raised again only by another part of the same payout, and
-- what was over by whatever makes it so again.
create function raise_billing_alarm(p_kind text, p_concerns text, p_operator text, p_cents bigint) returns void language sql as $$
  insert into billing_alarms as a (id, kind, concerns, operator_id, amount_cents)
    values (new_prefixed_id('alm'), p_kind, p_concerns, p_operator, p_cents)
    on conflict (kind, concerns) do update set status = 'open', decided_at = null, created_at = clock_timestamp()
      where a.status = 'over' or (a.status = 'dismissed' and a.kind = 'payout_reversed_in_part');
$$;
