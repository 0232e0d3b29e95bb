-- Holds a review against other decisions; its lineage first, as record_checkout() does. Null: there is none, or it is another's.
create function lock_review(p_operator text, p_checkout text) returns checkouts language plpgsql as $$
declare c checkouts;
begin
  select * into c from checkouts where id = p_checkout and operator_id = p_operator and review_status is not null;
  if not found then return null; end if;
  perform from passport_lineages where id = c.lineage_id for no key update;
  select * into strict c from checkouts where id = p_checkout for no key update;
  return c;
end $$;
