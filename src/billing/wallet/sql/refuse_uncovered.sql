-- Refuses 402: the wallet has less than is needed.
create function refuse_uncovered(p_amount bigint, p_available bigint) returns void language plpgsql as $$
begin
  perform refuse('INSUFFICIENT_CREDITS',
    format('This needs %s cents and the wallet has %s cents available; top it up and send the request again.', p_amount, p_available),
    json_build_object('required_cents', p_amount, 'balance_cents', p_available));
end $$;
