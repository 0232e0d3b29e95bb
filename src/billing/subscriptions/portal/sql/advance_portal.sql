-- One step of the life of a portal session: deletes the messages that woke it; after a quarter of an hour nobody waits for it.
create function advance_portal(p_portal text) returns text language plpgsql as $$
declare state text;
begin
  delete from life_messages where life = 'portal:' || p_portal;
  update portal_sessions set life_seen_at = clock_timestamp(),
      status = case when status = 'opening' and created_at < clock_timestamp() - interval '15 minutes' then 'expired' else status end
    where id = p_portal returning status into state;
  return coalesce(state, 'gone');
end $$;
