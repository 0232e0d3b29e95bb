-- One step of the life of a destination: ends what cannot be sent, notes whether its queue is full,
-- and takes a turn where something waits.
-- `send`: it has one; `turn`: eight destinations of the operator are sending, or it hangs and has no place for now; `calls`: nothing waits, and calls of a worker that is gone
-- may be under way; `idle`: nothing is left.
create function advance_notification(p_destination text) returns notification_step language plpgsql as $$
declare
  d destinations; v_hindrance text; v_waiting text; v_started timestamptz; v_sending int; v_before int; v_until timestamptz; v_held timestamptz; v_woken int := 0;
  turns constant int := 8;
  -- A call takes 20 seconds at most; what is still open after this belongs to a worker that is gone (decision N10).
  longest constant interval := '30 seconds';
begin
  perform begin_look('notification:' || p_destination);
  select * into d from destinations where id = p_destination for no key update;
  update deliveries set status = 'unknown', reason = 'interrupted', ended_at = clock_timestamp(),
      error = 'The service was interrupted during the call; the receiver may have taken it.'
    where destination_id = p_destination and status = 'sending' and started_at < clock_timestamp() - longest;
  v_hindrance := case when d.id is null then 'destination_deleted' else hindrance_of(d) end;
  if v_hindrance is not null then perform end_waiting_deliveries(p_destination, v_hindrance); end if;
  perform note_full_queues(array[p_destination]);
  select id into v_waiting from deliveries where destination_id = p_destination and status = 'sending' and started_at is null order by id limit 1;

  if d.id is not null and (v_waiting is not null or d.sending_until is not null or d.waiting_since is not null) then
    perform pg_advisory_xact_lock(1853453409, hashtext(d.operator_id)); -- lives of one operator take turns one after the other
    select count(*) filter (where sending_until > clock_timestamp()), min(sending_until) filter (where sending_until > clock_timestamp()),
        count(*) filter (where waiting_since < coalesce(d.waiting_since, clock_timestamp()))
      into v_sending, v_until, v_before from destinations where operator_id = d.operator_id and id <> p_destination;
    delete from turns_of_deleted where operator_id = d.operator_id and until <= clock_timestamp();
    select v_sending + count(*), least(v_until, min(until)) into v_sending, v_until from turns_of_deleted where operator_id = d.operator_id;
    -- Who waits for another reason than a turn keeps nobody behind it.
    v_held := case when d.held_until > clock_timestamp() then d.held_until
      when d.slow_since is not null and not has_slow_place(d) then clock_timestamp() + interval '10 seconds' end;
    if v_waiting is not null and v_held is null and v_sending + v_before < turns then
      update destinations set sending_until = clock_timestamp() + longest, waiting_since = null, turn_began_at = clock_timestamp()
        where id = p_destination;
      perform look_again('notification:' || p_destination, d.operator_id, clock_timestamp() + interval '1 minute');
      return row('send', v_waiting, null, null, 0)::notification_step;
    end if;
    update destinations set sending_until = null,
        waiting_since = case when v_waiting is not null and v_held is null then coalesce(d.waiting_since, clock_timestamp()) end
      where id = p_destination;
    if d.sending_until is not null then
      select wake_lives(coalesce(array_agg('notification:' || next.id), '{}'), coalesce(array_agg(d.operator_id), '{}')) into v_woken
        from (select id from destinations where operator_id = d.operator_id and id <> p_destination and waiting_since is not null
          order by waiting_since limit greatest(turns - v_sending, 0)) next;
    end if;
    if v_waiting is not null then
      v_until := coalesce(v_held, v_until);
      perform look_again('notification:' || p_destination, d.operator_id, clock_timestamp() + interval '2 minutes');
      return row('turn', v_waiting, ms_until(v_until), iso_time(v_until), v_woken)::notification_step;
    end if;
  end if;
  select min(started_at) + longest into v_started from deliveries where destination_id = p_destination and status = 'sending';
  if v_started is null then return row('idle', null, null, null, v_woken)::notification_step; end if;
  perform look_again('notification:' || p_destination, coalesce(d.operator_id, 'nobody'), v_started + interval '10 seconds');
  return row('calls', null, ms_until(v_started), iso_time(v_started), v_woken)::notification_step;
end $$;
