-- Ends the deliveries of a destination that have not begun, as failed for this reason.
create function end_waiting_deliveries(p_destination text, p_reason text) returns void language sql as $$
  update deliveries set status = 'failed', reason = p_reason, error = sentence_of_refusal(p_reason), ended_at = clock_timestamp()
    where destination_id = p_destination and status = 'sending' and started_at is null;
$$;
