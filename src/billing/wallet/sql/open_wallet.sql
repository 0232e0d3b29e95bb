-- Every operator has both rows from its beginning, so that no movement has to make them.
create function open_wallet(p_operator text) returns void language sql as $$
  insert into wallets (operator_id) values (p_operator) on conflict do nothing;
  insert into earnings (operator_id) values (p_operator) on conflict do nothing;
$$;
