-- Why a person cannot settle a pending refund like this, as the end of a sentence; null: they can.
create function why_not_settled(r refunds, p_status text, p_provider_refund text) returns text language sql stable as $$
  select case
    when p_status = 'succeeded' and r.provider_refund_id is null and p_provider_refund is null
      then 'nobody here knows which refund of the provider it is; name that in `provider_refund_id`'
    when r.provider_refund_id <> p_provider_refund then format('the provider calls it %s', r.provider_refund_id)
    when exists (select from refunds where provider_refund_id = p_provider_refund and id <> r.id)
      or exists (select from returned_refunds where id = p_provider_refund)
      then 'the refund of the provider that was named is another one, or came back from the bank' end;
$$;
