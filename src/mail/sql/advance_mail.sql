-- One step of the life of a mail: marks it as expired after its time, as unknown where a call was begun and has not ended. `gone`: there is no
-- such row.
create function advance_mail(p_mail text) returns mail_step language plpgsql as $$
declare m mails;
begin
  perform begin_look('mail:' || p_mail);
  update mails set
      status = case when status = 'waiting' and expires_at <= clock_timestamp()
        then case when sending_at is null then 'expired' else 'unknown' end else status end,
      text = case when status = 'waiting' and expires_at <= clock_timestamp() then null else text end
    where id = p_mail returning * into m;
  if not found then return row('gone', false, null, null)::mail_step; end if;
  perform look_again('mail:' || p_mail, lower(m.recipient), case when m.status = 'waiting' then m.expires_at + interval '1 minute' end);
  return row(m.status, m.status = 'waiting',
    ms_until(m.expires_at), iso_time(m.expires_at))::mail_step;
end $$;
