-- Changes to what an approved skill with code promises, until an administrator has looked at them. The skill itself stays as it was
-- approved and can be invoked meanwhile. One a skill: a later change replaces the one that waits.
create table skill_changes (
  skill_id text primary key references skills,
  id text not null unique,
  fields text not null,                 -- JSON: the fields of the PATCH
  proposed_at timestamptz not null default clock_timestamp()
);

-- The credentials that a call needs are known where it is admitted.
create or replace view skill_offers as
  select s.id, s.operator_id, s.status, s.approved_at, s.execution_mode, s.trust_level_required, s.price_per_invocation, s.version, s.revision,
    o.status as owner_status, s.executable, s.credential_mode, s.required_credentials, s.seller_credential_limit
  from skills s join operator_standings o using (operator_id);
