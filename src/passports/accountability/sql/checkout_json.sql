-- A checkout as the API shows it.
create function checkout_json(c checkouts) returns json language sql stable as $$
  select json_build_object('id', c.id, 'jti', c.jti, 'late', c.missed, 'services_used', c.services_used,
    'tool_calls', c.tool_calls::json, 'actions_count', c.actions_count, 'delegated_to', c.delegated_to, 'summary', c.summary,
    'submitted_at', iso_time(c.submitted_at), 'claim_id', c.claim_id);
$$;
