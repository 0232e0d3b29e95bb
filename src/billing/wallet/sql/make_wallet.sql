-- The wallet and the earnings of a new operator; a trigger calls it (0005-billing.sql).
create function make_wallet(p_operator text) returns void language plpgsql as $$
begin
  insert into wallets (operator_id) values (p_operator);
  insert into earnings (operator_id) values (p_operator);
end $$;
