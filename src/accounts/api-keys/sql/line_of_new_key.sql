-- The line of a key that is being made (decision A64): that of the credential that makes it, the grant or the agent that it is for, and the key;
-- without a maker where a person or the platform makes it. A maker that is deleted meanwhile begins a line by its name. Five makers are kept:
-- a key that is replaced again and again by the one that it makes has no longer line for that.
create function line_of_new_key(p_id text, p_made_by text, p_for text) returns text[] language sql stable as $$
  select (case
    when p_made_by like 'key\_%' and p_made_by <> 'key_platform' then coalesce((select line from key_families where id = p_made_by), array[p_made_by])
    when p_made_by like 'oauth:%' then array[p_made_by]
    else '{}' end)[1:5] || array_remove(array[p_for, p_id], null);
$$;
