-- Begins up to `p_limit` of the deliveries that wait for a destination: the caller makes one call each, and nobody another. Those that the
-- allowance and the wallet do not cover end here. A destination that hangs has one at a time, and none while it is held. Returns what was begun; nothing where nothing may be sent.
create function start_deliveries(p_destination text, p_limit int, p_email_microcents bigint)
returns setof started_delivery language plpgsql as $$
declare d destinations; v_ids text[]; v_id text; v_meter text; v_refusal text;
begin
  select * into d from destinations where id = p_destination for no key update;
  if not found or hindrance_of(d) is not null or d.held_until > clock_timestamp() then return; end if;
  v_ids := array(select id from deliveries where destination_id = p_destination and status = 'sending' and started_at is null
    order by id limit case when d.slow_since is null then p_limit else 1 end for update skip locked);
  if cardinality(v_ids) = 0 then return; end if;
  update destinations set sending_until = clock_timestamp() + interval '30 seconds' where id = p_destination;
  v_meter := (traits_of_channel(d.channel_type)).meter;
  if v_meter is not null then
    foreach v_id in array v_ids loop
      v_refusal := take_notification_allowance(d.operator_id, v_meter, v_id, p_email_microcents);
      continue when v_refusal is null;
      update deliveries set status = 'suppressed_cap', reason = v_refusal, error = sentence_of_refusal(v_refusal), ended_at = clock_timestamp()
        where id = v_id;
      v_ids := array_remove(v_ids, v_id);
    end loop;
  end if;
  return query
    update deliveries x set started_at = clock_timestamp() from notified_events e where x.id = any(v_ids) and e.id = x.event_id
    returning x.id, x.operator_id, d.id, d.channel_type, d.address, d.secret,
      case when d.old_secret_until > clock_timestamp() then d.old_secret end,
      e.id, e.event_type, e.severity, e.payload, iso_time(e.created_at), x.trace;
end $$;
