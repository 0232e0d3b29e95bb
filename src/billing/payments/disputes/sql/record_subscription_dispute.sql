-- A dispute of a payment for a subscription, as it was when the event was made. No wallet has the money, and the tier stays: a person decides (decision
-- B35). An alarm names operator and subscription while the bank has the money, and is raised again by each news of it.
create function record_subscription_dispute(
  p_dispute text, p_payment text, p_cents bigint, p_currency text, p_status text, p_standing text, p_stage int, p_at timestamptz,
  p_subscription text, p_operator text, p_request text
) returns payment_effect language plpgsql as $$
declare v_before text; v_dispute disputes;
begin
  perform lock_payment(p_payment);
  v_before := (select status from disputes where id = p_dispute);
  insert into disputes as d (id, payment_id, amount_cents, status, standing, stage, status_at, operator_id, subscription_id)
    values (p_dispute, p_payment, p_cents, p_status, p_standing, p_stage, p_at, p_operator, p_subscription)
    on conflict (id) do update set amount_cents = excluded.amount_cents, status = excluded.status, standing = excluded.standing,
        stage = excluded.stage, status_at = excluded.status_at, operator_id = excluded.operator_id, subscription_id = excluded.subscription_id
      where (excluded.status_at, excluded.stage) >= (d.status_at, d.stage);
  update disputes set reported_at = clock_timestamp() where id = p_dispute returning * into v_dispute;
  perform audit_payment(p_operator, 'dispute.' || p_status, p_subscription, jsonb_build_object('dispute', p_dispute, 'amount_cents', p_cents,
    'currency', p_currency), p_request);
  if v_dispute.standing in ('taken', 'unlisted') then
    perform raise_billing_alarm('subscription_disputed', p_subscription, p_operator, p_cents, p_currency,
      case when v_dispute.status is distinct from v_before then clock_timestamp() end);
    return row('subscription_disputed', p_operator, null)::payment_effect;
  end if;
  if not exists (select from disputes where operator_id = p_operator and subscription_id = p_subscription and standing in ('taken', 'unlisted')) then
    perform end_billing_alarm('subscription_disputed', p_subscription);
  end if;
  return row(p_status, p_operator, null)::payment_effect;
end $$;
