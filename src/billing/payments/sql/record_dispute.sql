-- A dispute as it was when the event was made. The newest status by the provider's clock counts; what the provider withdrew and
-- reinstated adds up, whichever event named it. `p_movements`: `[{"id", "cents"}]`, null where the event does not list them.
create function record_dispute(
  p_dispute text, p_payment text, p_amount bigint, p_status text, p_standing text, p_stage int, p_at timestamptz, p_movements jsonb,
  p_request text
) returns payment_effect language plpgsql as $$
declare t top_ups; v_before text; v_dispute disputes;
begin
  perform lock_payment(p_payment);
  select * into t from top_ups where payment_id = p_payment for no key update;
  v_before := (select status from disputes where id = p_dispute);
  insert into disputes as d (id, payment_id, amount_cents, status, standing, stage, status_at)
    values (p_dispute, p_payment, p_amount, p_status, p_standing, p_stage, p_at)
    on conflict (id) do update set amount_cents = excluded.amount_cents, status = excluded.status, standing = excluded.standing,
        stage = excluded.stage, status_at = excluded.status_at
      where (excluded.status_at, excluded.stage) >= (d.status_at, d.stage);
  update disputes set reported_at = clock_timestamp(), itemised = itemised or p_movements is not null where id = p_dispute
    returning * into v_dispute;
  if p_movements is not null then
    insert into dispute_movements (id, dispute_id, cents)
      select m->>'id', p_dispute, (m->>'cents')::bigint from jsonb_array_elements(p_movements) m where (m->>'cents')::bigint <> 0
      on conflict (id) do nothing;
  end if;
  if t.id is null then return row('kept', null, null)::payment_effect; end if;
  perform audit_payment(t.operator_id, 'dispute.' || p_status, t.id, jsonb_build_object('amount_cents', p_amount), p_request);
  perform apply_reversals(t);
  if v_dispute.standing = 'unlisted' then
    perform raise_billing_alarm('dispute_unlisted', p_dispute, t.operator_id, p_amount, 'usd',
      case when v_dispute.status <> v_before then clock_timestamp() end);
  else
    perform end_billing_alarm('dispute_unlisted', p_dispute);
  end if;
  return row(case p_standing when 'unlisted' then 'unlisted' else p_status end, t.operator_id, null)::payment_effect;
end $$;
