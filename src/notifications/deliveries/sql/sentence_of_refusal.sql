-- The sentence of the log about why a delivery was not begun, by its word; null for null.
create function sentence_of_refusal(p_reason text) returns text language sql immutable as $$
  select case p_reason
    when 'destination_deleted' then 'The destination was deleted before this was sent.'
    when 'destination_unverified' then 'The destination was not verified, so nothing was sent to it.'
    when 'destination_disabled' then 'The destination was disabled, so nothing was sent to it.'
    when 'destination_paused' then 'The destination was paused, since the tier has no deliveries by its channel.'
    when 'operator_suspended' then 'The operator was suspended, so nothing was sent for it.'
    when 'queue_full' then 'A thousand deliveries waited for the destination already.'
    when 'sms_cap' then 'The tier has no more SMS this month.'
    when 'insufficient_credits' then 'The month has no more e-mail included, and the wallet does not cover another.' end;
$$;
