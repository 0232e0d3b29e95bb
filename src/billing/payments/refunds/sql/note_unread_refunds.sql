-- The provider's list of refunds could not be read. Nothing moves; after an hour, or where the provider refuses for good (`p_is_final`), a person
-- looks. A refusal is not repeated immediately, unless another report came since the list was requested (`p_reports`). Where a list was set since
-- (`p_readings`), this one is of no account.
create function note_unread_refunds(p_top_up text, p_reports bigint, p_readings bigint, p_is_final boolean) returns void language plpgsql as $$
declare t top_ups; p refunded_payments; v_is_put_off boolean;
begin
  select * into strict t from top_ups where id = p_top_up for no key update;
  select * into strict p from refunded_payments where payment_id = t.payment_id for no key update;
  if p.readings <> p_readings then return; end if;
  v_is_put_off := p_is_final and p.reports = p_reports;
  update refunded_payments set unread_since = coalesce(unread_since, clock_timestamp()),
      next_read_at = case when v_is_put_off then next_check_at(coalesce(unread_since, clock_timestamp())) else next_read_at end
    where payment_id = t.payment_id returning * into p;
  if v_is_put_off then
    update top_ups set refunds_look_at = p.next_read_at + interval '1 minute' where id = t.id and refunds_look_at is not null;
    update refunds set next_call_at = greatest(next_call_at, p.next_read_at) where top_up_id = t.id and status = 'pending';
  end if;
  if p_is_final or p.unread_since <= clock_timestamp() - interval '1 hour' then
    perform raise_billing_alarm('refunds_unread', t.id, t.operator_id, null, null, p.reported_at);
  end if;
end $$;
