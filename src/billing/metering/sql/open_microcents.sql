-- Returns what the meters of a wallet have charged and not debited yet, less than a cent each. Under the lock of the wallet nobody else charges.
create function open_microcents(p_operator text) returns numeric language sql stable as $$
  select coalesce(sum(charged_microcents - debited_cents * 1000000), 0) from wallet_remainders where operator_id = p_operator;
$$;
