-- One step of the life of a refund: says what is due. A life that requests it again and again is left ten minutes.
create function advance_refund(p_refund text) returns payment_step language plpgsql as $$
declare r refunds;
begin
  perform begin_look('refund:' || p_refund);
  select * into r from refunds where id = p_refund;
  if not found then return row('gone', 'end', null, null)::payment_step; end if;
  if r.next_call_at is null then return row(r.status, 'end', null, null)::payment_step; end if;
  perform look_again('refund:' || p_refund, r.operator_id, greatest(clock_timestamp() + interval '10 minutes', r.next_call_at + interval '1 minute'));
  return row(r.status, case when r.next_call_at <= clock_timestamp() then 'request' else 'wait' end, ms_until(r.next_call_at),
    iso_time(r.next_call_at))::payment_step;
end $$;
