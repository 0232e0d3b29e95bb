-- By what kind of credential a claim was submitted. Of those from before, and of those that a release from before records, nobody knows.

alter table claims add column submitter text;  -- null: nobody knows
alter table claims add constraint claims_submitter
  check (submitter in ('operator_key', 'operator_token', 'member_session', 'agent_key', 'platform_key', 'service')) not valid;
