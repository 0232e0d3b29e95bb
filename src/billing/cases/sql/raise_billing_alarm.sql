-- Something that a person must look at, once a kind and thing. What was over is raised by whatever makes it so again; what was dismissed only by
-- something that became known since (`p_news_at`: when it did; null: nothing has). The amount follows what is known.
create function raise_billing_alarm(p_kind text, p_concerns text, p_operator text, p_cents bigint, p_news_at timestamptz default null)
returns void language sql as $$
  insert into billing_alarms as a (id, kind, concerns, operator_id, amount_cents)
    values (new_prefixed_id('alm'), p_kind, p_concerns, p_operator, p_cents)
    on conflict (kind, concerns) do update set status = 'open', decided_at = null, amount_cents = excluded.amount_cents,
        created_at = case a.status when 'open' then a.created_at else clock_timestamp() end
      where a.status = 'over' or (a.status = 'open' and a.amount_cents <> excluded.amount_cents)
        or (a.status = 'dismissed' and p_news_at > a.decided_at);
$$;
