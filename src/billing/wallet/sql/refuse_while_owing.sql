-- Refuses INSUFFICIENT_CREDITS: nothing is spent while a receivable is open.
create function refuse_while_owing(p_amount bigint, p_available bigint, p_owed bigint) returns void language plpgsql as $$
begin
  perform refuse('INSUFFICIENT_CREDITS',
    format('A payment was charged back and the wallet owes %s cents; the next top-up pays them first, then send the request again.', p_owed),
    json_build_object('required_cents', p_amount, 'balance_cents', p_available, 'receivable_cents', p_owed));
end $$;
