-- A review as the API shows it.
create function review_json(c checkouts) returns json language sql stable as $$
  select json_build_object('checkout_id', c.id, 'jti', c.jti, 'agent_id', c.agent_id, 'status', c.review_status, 'risk', c.risk,
    'missed', c.missed, 'flags', flags_json(c.lineage_id), 'notes', c.notes, 'created_at', iso_time(c.created_at),
    'decided_at', iso_time(c.decided_at));
$$;
