-- The mail before the last one: two that are close together make the pause behind them longer. Null: there was none.
alter table briefing_rounds add column previous_at timestamptz;

-- Finds by their age the mails that the limits of a day no longer count.
create index invitation_mails_by_age on invitation_mails (mailed_at);

-- E-mail addresses whose holder has ended what an operator sends there. Each needs a code before it is used again, the registered one too
-- (decision N51).
create table unsubscribed_addresses (
  operator_id text not null references operators,
  address text not null,                 -- in lower case
  since timestamptz not null default clock_timestamp(),
  primary key (operator_id, address)
);
