-- Sets what is known of the refunds of a payment by the provider's list of them, and moves the wallet by what that changes (decision B10).
-- `p_list`: `[{"id", "cents", "status", "key", "made_at"}]`. A list counts where none was set since it was requested (`p_readings`), so an older
-- one never undoes a newer one; the same list again moves nothing. What was listed once stays: a provider deletes no refund.
-- Returns whether it was set, whose wallet it is, and the refunds of ours that it settled.
create function set_refunds(
  p_top_up text, p_reports bigint, p_readings bigint, p_list jsonb, out is_set boolean, out owner text, out settled text[]
) language plpgsql as $$
declare t top_ups; p refunded_payments; r refunds; v_listed text; v_count int;
begin
  perform lock_payment((select payment_id from top_ups where id = p_top_up));
  select * into strict t from top_ups where id = p_top_up for no key update;
  select * into strict p from refunded_payments where payment_id = t.payment_id for no key update;
  owner := t.operator_id;
  settled := '{}';
  is_set := p.readings = p_readings;
  if not is_set then return; end if;
  insert into provider_refunds as l (id, payment_id, cents, status, key, made_at)
    select id, t.payment_id, cents, status, key, made_at
    from jsonb_to_recordset(p_list) as listed (id text, cents bigint, status text, key text, made_at timestamptz)
    on conflict (id) do update set cents = excluded.cents, status = excluded.status where l.payment_id = excluded.payment_id;
  get diagnostics v_count = row_count;
  if v_count <> jsonb_array_length(p_list) then
    raise exception 'the provider lists a refund of the payment % that it listed for another one', t.payment_id;
  end if;
  -- Ours is the first one that was made under its key.
  update provider_refunds l set refund_id = ours.refund_id from (
      select distinct on (o.id) o.id as refund_id, k.id
      from refunds o join provider_refunds k
        on k.payment_id = t.payment_id and k.key = refund_key(o.transaction_id, o.attempt) and k.cents = o.amount_cents
      where o.top_up_id = t.id and not exists (select from provider_refunds where refund_id = o.id)
      order by o.id, k.made_at, k.id) ours
    where l.id = ours.id;
  for r in select * from refunds where top_up_id = t.id order by id for no key update loop
    v_listed := (select status from provider_refunds where refund_id = r.id);
    if r.status = 'pending' and v_listed = 'pending' then
      update refunds set next_call_at = next_check_at(created_at) where id = r.id;
    elsif r.status = 'pending' and v_listed is not null then
      perform settle_refund(r, v_listed, null);
      settled := settled || r.id;
    elsif r.status = 'succeeded' and (v_listed = 'failed' or (v_listed is null and p.reports = p_reports)) then
      -- The bank sent it back; or a person had settled it, and a list that was read after that has none.
      perform settle_refund(r, 'failed', null);
      settled := settled || r.id;
    elsif r.status = 'failed' and v_listed in ('pending', 'succeeded') then
      perform raise_billing_alarm('refund_paid_after_all', r.id, r.operator_id, r.amount_cents, 'usd');
    else
      perform end_billing_alarm('refund_paid_after_all', r.id);
    end if;
  end loop;
  perform apply_reversals(t);
  update refunded_payments set readings = readings + 1, unread_since = null where payment_id = t.payment_id;
  if p.reports = p_reports then update top_ups set refunds_look_at = null where id = t.id; end if;
  perform end_billing_alarm('refunds_unread', t.id);
end $$;
