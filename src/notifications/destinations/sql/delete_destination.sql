-- Deletes a destination: it leaves the rules, and a rule with none left is inactive; what waits for it is not sent, and
-- the turn it has lasts as long as its calls may. Codes that were sent to it count for the limits still, and fit nowhere.
create function delete_destination(p_destination text) returns void language plpgsql as $$
declare
  v_rules text[];
begin
  perform from destinations where id = p_destination for update; -- a rule that names it is there by now, or comes too late
  select array_agg(rule_id) into v_rules from rule_destinations where destination_id = p_destination;
  insert into turns_of_deleted (operator_id, until)
    select operator_id, sending_until from destinations where id = p_destination and sending_until > clock_timestamp();
  delete from destinations where id = p_destination;
  update notification_rules r set active = false
    where r.id = any(v_rules) and not exists (select from rule_destinations rd where rd.rule_id = r.id);
  perform end_waiting_deliveries(p_destination, 'destination_deleted');
  update verification_codes set code = null, sealed = null,
      status = case when status = 'waiting' then 'failed' else status end,
      reason = case when status = 'waiting' then 'destination_deleted' else reason end
    where destination_id = p_destination and (code is not null or status = 'waiting');
end $$;
