-- A review as the API shows it. The digest is of what a person judges by, the report and what was decided before among it: another one is
-- another review to them.
create function review_json(c checkouts) returns json language sql stable as $$
  select json_build_object('checkout_id', c.id, 'jti', c.jti, 'agent_id', c.agent_id, 'status', c.review_status, 'risk', c.risk,
    'missed', c.missed, 'holds', review_holds(c), 'flags', flags, 'notes', c.notes, 'created_at', iso_time(c.created_at), 'decided_at', iso_time(c.decided_at),
    'digest', encode(sha256_of_text(json_build_array(c.risk, c.missed, c.claim_id, flags, c.review_status, c.notes, c.decided_at, c.block_future,
      c.hold_lifted_at)::text), 'hex'))
  from flags_json(c.lineage_id) as flags;
$$;
