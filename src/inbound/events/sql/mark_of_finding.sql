-- Returns what a mark of a finding holds: what found it, and where. Another attempt may find the same in another order.
create function mark_of_finding(p_finding jsonb) returns jsonb language sql immutable strict as $$
  select jsonb_build_object('detector_key', p_finding -> 'detector_key', 'place', p_finding -> 'place', 'span', p_finding -> 'span');
$$;
