-- Below what a wallet is low; a trigger calls it when the operator changes it (0005-billing.sql).
create function set_wallet_threshold(p_operator text, p_cents bigint) returns void language sql as $$
  update wallets set low_balance_cents = p_cents where operator_id = p_operator;
$$;
