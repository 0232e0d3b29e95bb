-- A checkpoint as the API shows it.
create function checkpoint_json(c checkpoints) returns json language sql stable as $$
  select json_build_object('id', c.id, 'jti', c.jti, 'sequence', c.sequence, 'services_used', c.services_used,
    'tool_calls', c.tool_calls::json, 'actions_count', c.actions_count, 'delegated_to', c.delegated_to, 'summary', c.summary,
    'submitted_at', iso_time(c.submitted_at), 'claim_id', c.claim_id);
$$;
