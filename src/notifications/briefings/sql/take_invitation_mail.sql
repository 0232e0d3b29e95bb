-- Whether an invitation may be mailed to this address now, and counts it: of a day one of an operator to one address, five to one address no
-- matter who invites, and fifty of one operator. So nobody floods a stranger by inviting and deleting them again.
create function take_invitation_mail(p_operator text, p_address text) returns boolean language plpgsql as $$
declare v_day constant timestamptz := clock_timestamp() - interval '24 hours';
begin
  if exists (select from invitation_mails where address = lower(p_address) and operator_id = p_operator and mailed_at > v_day)
    or (select count(*) from invitation_mails where address = lower(p_address) and mailed_at > v_day) >= 5
    or (select count(*) from invitation_mails where operator_id = p_operator and mailed_at > v_day) >= 50 then return false; end if;
  insert into invitation_mails (operator_id, address) values (p_operator, lower(p_address));
  return true;
end $$;
