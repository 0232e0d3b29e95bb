-- Why a payment that differs cannot be taken into the wallet, as the end of a sentence; null: it can.
create function why_not_taken(d differing_payments) returns text language sql stable as $$
  select case
    when d.status <> 'open' then format('it was %s', d.status)
    when d.currency is distinct from 'usd' or coalesce(d.amount_cents, 0) <= 0 or d.payment_id is null
      then 'a wallet takes US cents of a payment that can be named; give it back at the provider and dismiss it here'
    when exists (select from top_ups where payment_id = d.payment_id) then 'it was credited already'
    when exists (select from top_ups where session_id = d.session_id and id = d.top_up_id and status = 'paid')
      then 'another payment of its checkout was credited; give it back at the provider and dismiss it here'
    when exists (select from top_ups where session_id = d.session_id and id <> d.top_up_id) then 'its checkout is that of another top-up'
    end;
$$;
