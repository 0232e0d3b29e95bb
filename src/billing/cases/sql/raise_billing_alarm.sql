-- Something that a person must look at, once a kind and thing: what was dismissed is raised again only by another part of the same payout, and
-- what was over by whatever makes it so again. The amount follows what is known.
create function raise_billing_alarm(p_kind text, p_concerns text, p_operator text, p_cents bigint) returns void language sql as $$
  insert into billing_alarms as a (id, kind, concerns, operator_id, amount_cents)
    values (new_prefixed_id('alm'), p_kind, p_concerns, p_operator, p_cents)
    on conflict (kind, concerns) do update set status = 'open', decided_at = null, amount_cents = excluded.amount_cents,
        created_at = case a.status when 'open' then a.created_at else clock_timestamp() end
      where a.status = 'over' or (a.status = 'open' and a.amount_cents <> excluded.amount_cents)
        or (a.status <> 'open' and a.kind = 'payout_reversed_in_part');
$$;
