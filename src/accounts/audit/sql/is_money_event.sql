-- Whether an audit event is about money: such events are a record of it, as the rows of wallets are, and never purged (decision B22).
create function is_money_event(p_action text) returns boolean language sql immutable as $$
  select split_part(p_action, '.', 1) in
    ('top_up', 'differing_payment', 'refund', 'dispute', 'receivable', 'wallet', 'payout', 'subscription', 'seats', 'billing_alarm', 'payment_alarm');
$$;
