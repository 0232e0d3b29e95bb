-- Counts a notification by e-mail or SMS that is about to be sent. Over what the tier includes in a month an SMS is not sent, and
-- an e-mail costs what it costs the platform and 15 %, once a source: the row elsewhere that it is sent for. Returns null where it may be
-- sent, else why not, a word.
create function take_notification_allowance(p_operator text, p_meter text, p_source text, p_email_microcents bigint) returns text
language plpgsql as $$
declare
  v_month constant date := utc_month(clock_timestamp());
  v_included bigint; v_used bigint; v_over boolean;
begin
  select case p_meter when 'sms' then sms when 'email' then email else 0 end into v_included from operator_tiers where operator_id = p_operator;
  insert into usage_counters (operator_id, meter, month) values (p_operator, p_meter, v_month) on conflict do nothing;
  select used into strict v_used from usage_counters where operator_id = p_operator and meter = p_meter and month = v_month for no key update;
  v_over := coalesce(v_used >= v_included, false);
  if v_over and p_meter = 'sms' then return 'sms_cap'; end if;
  if v_over then
    begin
      perform charge_usage(p_source, p_operator, p_meter, p_email_microcents, 'Notifications by e-mail over the monthly allowance');
    exception when sqlstate 'CN000' then -- the wallet does not cover it
      return 'insufficient_credits';
    end;
  end if;
  update usage_counters set used = used + 1, overage = overage + v_over::int
    where operator_id = p_operator and meter = p_meter and month = v_month;
  return null;
end $$;
