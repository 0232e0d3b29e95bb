-- People: what they must approve, who they are, how they sign in, and the mail that reaches them.

-- One request of a bearer credential that waits for a person (decisions A33): bound to operator, method, path and body, single use.
-- Whether it is expired is its `expires_at`; the view below says it.
create table governance_approvals (
  id text primary key,
  operator_id text not null references operators,
  action text not null,                 -- what it is about, e.g. 'agent.unblock'
  method text not null,
  path text not null,
  body_digest bytea not null,           -- SHA-256 of JCS(body)
  body text not null,                   -- sealed, for the person who decides
  requested_by text not null,           -- the credential that asked, as the rate limit names it
  status text not null default 'pending' check (status in ('pending', 'approved', 'rejected', 'lapsed', 'consumed')),
  decided_by text,                      -- a member's id
  decided_at timestamptz,
  consumed_at timestamptz,
  expires_at timestamptz not null,
  created_at timestamptz not null default clock_timestamp()
);
-- The same request finds the approval that waits for it.
create unique index governance_approvals_live on governance_approvals (operator_id, method, path, body_digest)
  where status in ('pending', 'approved');
create index governance_approvals_of_operator on governance_approvals (operator_id, id desc);

-- As the API shows them: an open one past its time is expired, whether or not somebody has asked again since.
create view governance_approvals_shown as
  select id, operator_id, action, method, path, body_digest, body, requested_by,
    case when status = 'lapsed' or (status in ('pending', 'approved') and expires_at <= clock_timestamp()) then 'expired'
      else status end as status,
    decided_by, decided_at, consumed_at, expires_at, created_at
  from governance_approvals;

-- The live approval of a request: the one that exists, or `p_id` made now. Of two callers at once one makes it and both get it.
create function request_approval(p_id text, p_operator text, p_action text, p_method text, p_path text, p_digest bytea, p_body text,
  p_requested_by text, p_seconds int)
returns table (id text, status text, expires_at timestamptz, made boolean) language plpgsql as $$
#variable_conflict use_column
begin
  loop
    update governance_approvals a set status = 'lapsed'
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved') and a.expires_at <= clock_timestamp();
    insert into governance_approvals as a (id, operator_id, action, method, path, body_digest, body, requested_by, expires_at)
      values (p_id, p_operator, p_action, p_method, p_path, p_digest, p_body, p_requested_by,
        clock_timestamp() + make_interval(secs => p_seconds))
      on conflict (operator_id, method, path, body_digest) where status in ('pending', 'approved') do nothing;
    return query
      select a.id, a.status, a.expires_at, a.id = p_id from governance_approvals a
      where a.operator_id = p_operator and a.method = p_method and a.path = p_path and a.body_digest = p_digest
        and a.status in ('pending', 'approved');
    if found then return; end if;
  end loop;
end $$;
