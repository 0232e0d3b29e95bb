-- The audit event of a payout that has come to another status; triggers call it (0005-billing.sql).
create function record_payout_event(p payouts) returns void language plpgsql as $$
begin
  insert into audit_events (operator_id, actor, action, target, detail)
    values (p.operator_id, 'service', 'payout.' || p.status, p.id,
      jsonb_build_object('month', p.month, 'gross_cents', p.gross_cents, 'net_cents', p.net_cents));
end $$;
