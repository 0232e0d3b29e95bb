-- One step of the life of a top-up.
create function advance_top_up(p_top_up text) returns payment_step language plpgsql as $$
declare t top_ups; read_at timestamptz;
begin
  perform begin_look('top-up:' || p_top_up);
  update top_ups set
      status = case when status = 'opening' and expires_at <= clock_timestamp() then 'expired' else status end
    where id = p_top_up returning * into t;
  if not found then return row('gone', 'end', null, null)::payment_step; end if;
  if t.refunds_look_at is not null then
    select next_read_at into strict read_at from refunded_payments where payment_id = t.payment_id;
  end if;
  -- A life that tries a provider again and again is left ten minutes.
  if t.status in ('opening', 'open', 'processing') or read_at is not null then
    perform look_again('top-up:' || p_top_up, t.operator_id, greatest(clock_timestamp() + interval '10 minutes',
      least(case when t.status in ('opening', 'open', 'processing') then coalesce(t.next_call_at, t.expires_at) end, read_at) + interval '1 minute'));
  end if;
  if t.status = 'opening' then return row(t.status, 'open', ms_until(t.expires_at), iso_time(t.expires_at))::payment_step; end if;
  if t.next_call_at <= clock_timestamp() then return row(t.status, 'check', null, iso_time(t.next_call_at))::payment_step; end if;
  if t.next_call_at is not null then return row(t.status, 'wait', ms_until(t.next_call_at), iso_time(t.next_call_at))::payment_step; end if;
  -- The time of the last report: another report is another step, which waits for no pause.
  if read_at <= clock_timestamp() then return row(t.status, 'refunds', null, iso_time(read_at))::payment_step; end if;
  if t.status = 'paid' and not t.receipt_sought and t.settled_at > clock_timestamp() - interval '1 day' then
    return row(t.status, 'receipt', null, null)::payment_step;
  end if;
  if read_at is not null then return row(t.status, 'wait', ms_until(read_at), iso_time(read_at))::payment_step; end if;
  return row(t.status, 'end', null, null)::payment_step;
end $$;
