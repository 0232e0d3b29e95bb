-- A webhook about a refund. What it says of a top-up is read from the provider's list. A refund of a second subscription that comes back waits
-- for a person.
create function record_refund(p_provider_refund text, p_payment text, p_key text, p_cents bigint, p_currency text, p_status text)
returns payment_effect language plpgsql as $$
declare v_operator text;
begin
  if p_status = 'failed' and p_key like 'give-back:%' then
    select operator_id into v_operator from surplus_subscriptions where p_key = format('give-back:%s:%s', subscription_id, p_payment);
    if found then
      perform raise_billing_alarm('subscription_refund_came_back', p_provider_refund, v_operator, p_cents, p_currency);
      return row('came_back', v_operator, null)::payment_effect;
    end if;
  end if;
  return report_refunds(p_payment);
end $$;
