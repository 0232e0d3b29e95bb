-- The leave to make one call: a row that is written only while the endpoint is not revoked, once an attempt, and only for what the policy
-- lets pass. A revocation waits for this transaction, or this one finds it. No row comes back where there is nothing to send; why, the next
-- step of the life finds.
create function authorise_forward(p_event text, p_attempt int, p_forward text) returns setof authorised_forward language plpgsql as $$
declare e inbound_endpoints;
begin
  select x.* into e from inbound_endpoints x join inbound_events y on y.endpoint_id = x.id where y.id = p_event for share of x;
  if not has_forward_turn(e) then return; end if;
  return query
    with allowed as (
      insert into inbound_forwards (id, event_id, endpoint_id, operator_id, attempt)
        select p_forward, v.id, v.endpoint_id, v.operator_id, v.attempt from inbound_events v
        where v.id = p_event and v.attempt = p_attempt and v.status = 'scanning' and v.verdict is not null
          and v.classification not in ('wanted', 'calling')
          and e.revoked_at is null and e.forward_url is not null and is_agent_active(v.agent_id)
          and not is_inbound_held(e, v)
        on conflict (event_id, attempt) do nothing
        returning id)
    select allowed.id, e.forward_url, e.secret from allowed;
end $$;
