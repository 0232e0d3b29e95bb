-- One step of the life of a refund: deletes the messages that woke it, and says what is due.
create function advance_refund(p_refund text) returns payment_step language plpgsql as $$
declare r refunds;
begin
  delete from life_messages where life = 'refund:' || p_refund;
  update refunds set life_seen_at = clock_timestamp() where id = p_refund returning * into r;
  if not found then return row('gone', 'end', null, null)::payment_step; end if;
  if r.next_call_at is null then return row(r.status, 'end', null, null)::payment_step; end if;
  return row(r.status, case when r.next_call_at <= clock_timestamp() then 'request' else 'wait' end, ms_until(r.next_call_at),
    iso_time(r.next_call_at))::payment_step;
end $$;
