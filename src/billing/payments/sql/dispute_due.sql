-- How much of the wallet's money a dispute holds, by what is known of it (decision B10). A dispute that we won holds nothing, also before
-- the provider has moved the money back; once it has, and moved back less, the rest stays taken.
create function dispute_due(d disputes) returns bigint language sql stable as $$
  select case
    when d.standing = 'none' or (d.standing = 'won' and coalesce(sum(cents) filter (where cents > 0), 0) = 0) then 0
    when d.itemised then greatest(0, -coalesce(sum(cents), 0))
    when d.standing = 'taken' then d.amount_cents
    else 0 end::bigint
  from dispute_movements where dispute_id = d.id;
$$;
