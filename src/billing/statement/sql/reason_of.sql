-- The reason of a top-up, a refund or an adjustment of a wallet, by its cause: the top-up with its credit, the refund of ours, the dispute.
create function reason_of(
  p_kind text, p_cause text, out top_up text, out credit text, out refund text, out dispute text, out dispute_status text
) language plpgsql stable as $$
declare v_about text[];
begin
  if p_kind = 'topup' then
    top_up := p_cause;
  elsif p_kind = 'refund' or starts_with(p_cause, 'unrefunded:') then
    select id, top_up_id into refund, top_up from refunds where id = split_part(p_cause, ':', case p_kind when 'refund' then 1 else 2 end);
  else
    v_about := regexp_match(p_cause, '^(?:receivable:|taken_over:)?(dispute|returned|refunded|given_back):([^:]+):');
    if v_about[1] in ('dispute', 'returned') then
      select d.id, d.status, t.id into dispute, dispute_status, top_up
        from disputes d left join top_ups t using (payment_id) where d.id = v_about[2];
    elsif v_about is not null then
      top_up := (select id from top_ups where payment_id = v_about[2]);
    end if;
  end if;
  credit := (select transaction_id from top_ups where id = top_up);
end $$;
