-- Why a person cannot settle a pending refund like this, as the end of a sentence; null: they can.
create function why_not_settled(r refunds, p_status text) returns text language sql stable as $$
  select case when p_status = 'failed' and exists (select from provider_refunds where refund_id = r.id)
    then 'the provider has made it, and says by itself when it has failed' end;
$$;
