-- Takes an event whose signature fits, once: what came before is a `duplicate`, except that a `failed` event of the same bytes, or of the
-- same signed id, is taken up `again` (one that nobody could read with other bytes alone); else it is `new`, and counts as a metered action. Without a signed id of its own the same bytes are the same event, no matter what
-- makes their key. Refuses where the endpoint is revoked meanwhile, where the storage of the operator is full, and where the allowance is over and the wallet empty. Counters come last:
-- a large content that is being written holds back no other event of the operator.
create function receive_inbound_event(
  p_endpoint text, p_event text, p_key_hash bytea, p_key_from text, p_body_hash bytea, p_scheme text, p_body_authenticated boolean,
  p_content_type text, p_size int, p_sealed bytea, out event_id text, out taken text
) language plpgsql as $$
declare e inbound_endpoints; v inbound_events;
begin
  select * into strict e from inbound_endpoints where id = p_endpoint for key share;
  if e.revoked_at is not null then perform refuse_revoked_endpoint(); end if;
  -- Two keys of the same bytes are judged one after the other.
  perform pg_advisory_xact_lock(hashtextextended(p_endpoint || encode(p_body_hash, 'hex'), 15));
  select * into v from inbound_events where endpoint_id = p_endpoint and key_hash = p_key_hash for no key update;
  if not found and p_key_from not in ('webhook_id', 'token') then
    select * into v from inbound_events where endpoint_id = p_endpoint and body_hash = p_body_hash order by id limit 1 for no key update;
  end if;
  if v.id is null then
    perform refuse_full_storage(e.operator_id);
    insert into inbound_events (id, endpoint_id, operator_id, agent_id, provider, key_hash, key_from, body_hash, scheme, body_authenticated,
        content_type, size)
      values (p_event, p_endpoint, e.operator_id, e.agent_id, e.provider, p_key_hash, p_key_from, p_body_hash, p_scheme, p_body_authenticated,
        p_content_type, p_size)
      on conflict (endpoint_id, key_hash) do nothing returning * into v;
    if found then
      insert into inbound_contents (event_id, operator_id, sealed) values (v.id, e.operator_id, p_sealed);
      perform wake_life('inbound:' || v.id, e.operator_id);
      update inbound_counters set received = received + 1, last_event_at = clock_timestamp() where endpoint_id = p_endpoint;
      perform meter_action(e.operator_id, 'inbound');
      event_id := v.id;
      taken := 'new';
      return;
    end if;
    -- A rival brought another body under the same key.
    select * into strict v from inbound_events where endpoint_id = p_endpoint and key_hash = p_key_hash for no key update;
  end if;
  event_id := v.id;
  -- Under the same signed id, or the same `event_id` of a signed body, a provider may send other bytes when it tries again, such as another
  -- number of the try.
  if v.status = 'failed' and (
      (v.body_hash = p_body_hash and v.reason <> 'unreadable')
      or (v.body_hash <> p_body_hash and p_key_from in ('webhook_id', 'event_id') and v.key_hash = p_key_hash)) then
    update inbound_events set body_hash = p_body_hash, content_type = p_content_type, size = p_size where id = v.id;
    perform begin_inbound_attempt(v.id);
    perform wake_life('inbound:' || v.id, e.operator_id);
    taken := 'again';
    return;
  end if;
  update inbound_counters set duplicates = duplicates + 1 where endpoint_id = p_endpoint;
  taken := 'duplicate';
end $$;
