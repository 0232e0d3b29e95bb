-- A mail is handed to the mail server once: `sending_at` is written before the call, and a call whose outcome is lost ends as `unknown`.
-- `unsubscribe`: the destination (`dst_…`) or member (`mem_…`) that can end such mails by the link in them; null: nobody can.
alter table mails add column sending_at timestamptz, add column unsubscribe text;
alter table mails drop constraint mails_status_check;
alter table mails add constraint mails_status_check check (status in ('outbox', 'waiting', 'sent', 'refused', 'unknown', 'expired'));

-- For those who had a mail written: what became of it, for a week.
create view mail_outcomes as select id, status from mails;
