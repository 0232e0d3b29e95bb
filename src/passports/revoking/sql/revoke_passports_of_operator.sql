-- For other domains, in their transactions: how many passports were revoked.
create function revoke_passports_of_operator(p_operator text, p_reason text) returns int language sql as $$
  select cardinality(revoked) from revoke_active_passports(p_operator, 'operator', p_operator, p_reason);
$$;
