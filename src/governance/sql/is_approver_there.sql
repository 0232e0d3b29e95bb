-- Whether who gave an approval may still give it: an approval ends with who gave it (decision A33). `p_owner`: only an owner may.
create function is_approver_there(p_operator text, p_member text, p_owner boolean) returns boolean language sql stable as $$
  select exists (select from memberships m where m.id = p_member and m.operator_id = p_operator and m.joined
    and case when p_owner then m.role = 'owner' else m.role in ('owner', 'admin') end);
$$;
