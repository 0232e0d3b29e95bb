-- The log of a new service, with the checkpoint of its empty tree. Of several processes that make it in parallel one wins, and the others find it.
create function make_log(
  p_id text, p_origin text, p_kid text, p_x text, p_private text, p_root bytea, p_note text, p_registry text,
  p_registration text, p_registered_from text, p_created_at timestamptz
) returns void language plpgsql as $$
begin
  insert into claim_log (id, origin, kid, x, private_key, root_hash, registered_from)
    values (p_id, p_origin, p_kid, p_x, p_private, p_root, p_registered_from)
    on conflict (one) do nothing;
  if not found then return; end if;
  insert into log_checkpoints (tree_size, note, registry, registration, created_at)
    values (0, p_note, p_registry, p_registration, p_created_at);
  perform wake_life('log-sequencer:' || p_id, 'op_platform');
end $$;
