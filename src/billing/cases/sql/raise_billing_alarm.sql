-- Something that a person must look at, once a kind and thing. What was over is raised by anything that makes it so again; what was dismissed only by
-- something that became known since (`p_news_at`: when it did; null: nothing has). The amount follows what is known, in hundredths of
-- `p_currency`; both are null where nobody said how much.
create function raise_billing_alarm(
  p_kind text, p_concerns text, p_operator text, p_cents bigint, p_currency text, p_news_at timestamptz default null
) returns void language sql as $$
  insert into billing_alarms as a (id, kind, concerns, operator_id, amount_cents, currency, news_at)
    values (new_prefixed_id('alm'), p_kind, p_concerns, p_operator, p_cents, p_currency, p_news_at)
    on conflict (kind, concerns) do update set status = 'open', decided_at = null, amount_cents = excluded.amount_cents,
        currency = excluded.currency, news_at = greatest(a.news_at, excluded.news_at),
        created_at = case a.status when 'open' then a.created_at else clock_timestamp() end
      where a.status = 'over' or (a.status = 'dismissed' and p_news_at > a.decided_at)
        or (a.status = 'open' and (a.amount_cents <> excluded.amount_cents or a.currency <> excluded.currency
          or p_news_at > coalesce(a.news_at, '-infinity')));
$$;
