-- What a refund of ours is called at the provider, and since when it is there. The key that it was requested under decides, so a later name
-- takes the place of one that a person had found, also where they had given this one to another refund. Returns the row.
create function name_refund(r refunds, p_provider_refund text, p_made_at timestamptz) returns refunds language plpgsql as $$
declare named refunds;
begin
  update refunds set provider_refund_id = null, made_at = null where provider_refund_id = p_provider_refund and id <> r.id;
  update refunds set provider_refund_id = p_provider_refund,
      made_at = case when provider_refund_id = p_provider_refund then coalesce(made_at, p_made_at) else p_made_at end
    where id = r.id returning * into named;
  return named;
end $$;
