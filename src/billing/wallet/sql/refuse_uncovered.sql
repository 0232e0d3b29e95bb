-- Refuses INSUFFICIENT_CREDITS: the wallet has less than is needed.
create function refuse_uncovered(p_amount bigint, p_available bigint, p_parts jsonb default null) returns void language plpgsql as $$
begin
  perform refuse('INSUFFICIENT_CREDITS',
    format('This needs %s cents and the wallet has %s cents available; top it up and send the request again.', p_amount, p_available),
    (coalesce(p_parts, '{}') || jsonb_build_object('required_cents', p_amount, 'balance_cents', p_available))::json);
end $$;
