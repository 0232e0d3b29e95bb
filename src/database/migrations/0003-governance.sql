-- What a bearer credential may not do alone: a person approves it.

-- One request that waits for a person (decision A33), bound to operator, method, path, body and the state of what it is about, for a
-- single use. Whether it has expired follows from `expires_at`; the view below shows it.
create table governance_approvals (
  id text primary key,
  operator_id text not null references operators,
  action text not null,                 -- what it is about, e.g. 'agent.unblock'
  method text not null,
  path text not null,
  body_digest bytea not null,           -- SHA-256 of JCS(body), or of JCS({body, by}) where the act is for its requester alone
  subject_digest bytea not null,        -- SHA-256 of JCS of what it is about, as it was then
  body text not null,                   -- sealed with that subject, for the person who decides
  requested_by text not null,           -- the credential of the request, as the rate limit names it
  requested_person text,                -- the member behind it; null: it cannot be told
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
create index governance_approvals_pending on governance_approvals (operator_id, expires_at) where status = 'pending';
-- What nobody decided and no request stands for any more: of each request the newest is kept.
create index governance_approvals_undecided on governance_approvals (operator_id) where status = 'lapsed' and decided_at is null;
create index governance_approvals_of_operator on governance_approvals (operator_id, id desc);

-- As the API shows them: an open one past its time is expired, whether or not it was requested again since.
create view governance_approvals_shown as
  select id, operator_id, action, method, path, body_digest, subject_digest, body, requested_by, requested_person,
    case when status = 'lapsed' or (status in ('pending', 'approved') and expires_at <= clock_timestamp()) then 'expired'
      else status end as status,
    decided_by, decided_at, consumed_at, expires_at, created_at, status as stored_status
  from governance_approvals;
