-- The log of a new service, with the checkpoint of its empty tree. Of several processes that make it at once one wins, and the others find it.
create function make_log(
  p_id text, p_origin text, p_kid text, p_x text, p_private text, p_root bytea, p_note text, p_registry text
) returns void language plpgsql as $$
begin
  insert into claim_log (id, origin, kid, x, private_key, root_hash) values (p_id, p_origin, p_kid, p_x, p_private, p_root)
    on conflict (one) do nothing;
  if not found then return; end if;
  insert into log_checkpoints (tree_size, note, registry) values (0, p_note, p_registry);
  perform wake_life('log-sequencer:' || p_id, 'op_platform');
end $$;
