-- Appends a batch to the tree of `p_size`, under a lock of the log that the caller holds: the claims of `p_seqs`, which ascend, the nodes that
-- become complete (32 bytes each, by level and index), and the checkpoint with its registration. `p_registered_from`: null where an earlier batch
-- said it.
create function append_to_log(
  p_size bigint, p_seqs bigint[], p_nodes bytea, p_root bytea, p_note text, p_registry text, p_registration text, p_registered_from text,
  p_created_at timestamptz
) returns void language plpgsql as $$
declare
  v_grown constant bigint := p_size + cardinality(p_seqs);
  v_count bigint;
begin
  update claim_log set tree_size = v_grown, root_hash = p_root, registered_from = coalesce(p_registered_from, registered_from)
    where tree_size = p_size;
  if not found then raise exception 'the log has another size than %', p_size; end if;
  with taken as (
    delete from log_pending where seq = any(p_seqs) returning seq, claim_id
  )
  insert into log_entries (log_index, claim_id) select p_size + row_number() over (order by seq) - 1, claim_id from taken;
  get diagnostics v_count = row_count;
  if v_count <> cardinality(p_seqs) then raise exception 'claims to append are gone'; end if;
  insert into log_nodes (level, index, hash)
    select level, index, substring(p_nodes from (32 * (row_number() over (order by level, index) - 1) + 1)::int for 32)
    from generate_series(0, 62) as level, generate_series(p_size >> level, (v_grown >> level) - 1) as index;
  get diagnostics v_count = row_count;
  if v_count * 32 <> octet_length(p_nodes) then raise exception 'a batch has another number of nodes than it must'; end if;
  insert into log_checkpoints (tree_size, note, registry, registration, created_at)
    values (v_grown, p_note, p_registry, p_registration, p_created_at);
end $$;
