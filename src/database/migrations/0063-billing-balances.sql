-- The balance that each row of a wallet has left, for rows of releases before 0061. Nothing else ever changes a transfer, so no command waits for this.
update transfers t set balance_after_cents = b.balance from (
  select id, sum(case when credit_account = 'wallet:' || wallet then amount_cents else -amount_cents end)
    over (partition by wallet order by position) as balance
  from transfers where wallet is not null) b
where t.id = b.id and t.balance_after_cents is null;
