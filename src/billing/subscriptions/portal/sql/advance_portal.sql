-- One step of the life of a portal session: after a quarter of an hour nobody waits for it.
create function advance_portal(p_portal text) returns text language plpgsql as $$
declare p portal_sessions;
begin
  perform begin_look('portal:' || p_portal);
  update portal_sessions set
      status = case when status = 'opening' and created_at < clock_timestamp() - interval '15 minutes' then 'expired' else status end
    where id = p_portal returning * into p;
  perform look_again('portal:' || p_portal, p.operator_id, case when p.status = 'opening' then p.created_at + interval '16 minutes' end);
  return coalesce(p.status, 'gone');
end $$;
