-- The live approval of a request: the one that exists, or `p_id` made now. Of two callers in parallel one makes it and both get it. One
-- that was given for another state of its subject lapses, and so does one whose requester has ended or whose approver may not give it any
-- more (`p_owner`: only an owner may). Of those of the request that lapsed undecided the newest is kept, and of the
-- operator's none that ended 90 days ago without a decision (decision A33). Where as many wait as may wait of those that the credential shares
-- places with (has_approval_place()) the status is 'full', and `expires_at` is when the first of them ends. Where the credential was deleted while its call ran it is 'ended': nobody could use
-- what it asks for.
create function request_approval(p_id text, p_operator text, p_action text, p_method text, p_path text, p_digest bytea,
  p_subject_digest bytea, p_body text, p_requested_by text, p_requested_person text, p_seconds int, p_most_of_first int,
  p_most_of_operator int, p_owner boolean)
returns table (id text, status text, expires_at timestamptz, made boolean) language plpgsql as $$
#variable_conflict use_column
declare v_first_end timestamptz;
begin
  loop
    if not is_requester_there(p_operator, p_requested_by) then
      return query select null::text, 'ended', null::timestamptz, false;
      return;
    end if;
    update governance_approvals a set status = 'lapsed'
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved') and (approval_status(a) = 'expired' or a.subject_digest <> p_subject_digest
          or (a.status = 'approved' and not is_approver_there(a.operator_id, a.decided_by, p_owner)));
    return query
      select a.id, a.status, a.expires_at, a.id = p_id from governance_approvals a
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved');
    if found then return; end if;
    perform lock_approvals(p_operator); -- so that the bound holds when many ask in parallel
    if not has_approval_place(p_operator, coalesce((select c.line from credential_lines c where c.id = p_requested_by), array[p_requested_by]),
        p_most_of_first, p_most_of_operator) then
      select min(a.expires_at) into v_first_end from governance_approvals a
        where a.operator_id = p_operator and a.status = 'pending' and approval_status(a) = 'pending';
      return query select null::text, 'full', v_first_end, false;
      return;
    end if;
    delete from governance_approvals a
      where a.operator_id = p_operator and a.status = 'pending' and a.expires_at < clock_timestamp() - interval '90 days';
    delete from governance_approvals a
      where a.operator_id = p_operator and a.status = 'lapsed' and a.decided_at is null
        and (a.expires_at < clock_timestamp() - interval '90 days' or (a.method = p_method and a.path = p_path and a.body_digest = p_digest
          and a.id < (select max(b.id) from governance_approvals b where b.operator_id = p_operator and b.status = 'lapsed'
            and b.decided_at is null and b.method = p_method and b.path = p_path and b.body_digest = p_digest)));
    insert into governance_approvals as a (id, operator_id, action, method, path, body_digest, subject_digest, body, requested_by,
        requested_person, expires_at)
      values (p_id, p_operator, p_action, p_method, p_path, p_digest, p_subject_digest, p_body, p_requested_by, p_requested_person,
        clock_timestamp() + make_interval(secs => p_seconds))
      on conflict (operator_id, method, path, body_digest) where status in ('pending', 'approved') do nothing;
  end loop;
end $$;
