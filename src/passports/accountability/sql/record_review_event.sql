-- The event of a review that waits for a decision from now on.
create function record_review_event(c checkouts) returns void language sql as $$
  select record_service_event(c.operator_id, 'review.pending', case c.risk when 'critical' then 'critical' else 'warning' end,
    json_build_object('checkout_id', c.id, 'jti', c.jti, 'agent_id', c.agent_id, 'risk', c.risk));
$$;
