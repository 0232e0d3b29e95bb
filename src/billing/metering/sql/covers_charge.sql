-- Whether the wallet covers another charge, remainders included (decision B5): available x 1,000,000 - open remainders >= cost.
create function covers_charge(p_operator text, p_microcents bigint) returns boolean language sql stable as $$
  select w.receivable_cents = 0 and (w.posted_cents - w.held_cents) * 1000000
      - coalesce((select sum(charged_microcents - debited_cents * 1000000) from wallet_remainders where operator_id = p_operator), 0)
    >= p_microcents
  from wallets w where w.operator_id = p_operator;
$$;
