-- An audit event of the service about a payment.
create function audit_payment(p_operator text, p_action text, p_target text, p_detail jsonb, p_request text) returns void language sql as $$
  insert into audit_events (operator_id, actor, action, target, detail, request_id)
  values (p_operator, 'service', p_action, p_target, p_detail, p_request);
$$;
