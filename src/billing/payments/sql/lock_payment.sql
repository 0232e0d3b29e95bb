-- Facts of one payment take turns, taken before any row: of a credit and a dispute in parallel, neither would see the other, and the wallet
-- would keep what the bank took back.
create function lock_payment(p_payment text) returns void language sql as $$
  select pg_advisory_xact_lock(hashtextextended('payment:' || p_payment, 0)) where p_payment is not null;
$$;
