-- A refusal from inside a function. It rolls the command back, and src/database/errors.ts turns it into a CarnetError:
-- SQLSTATE CN000 (src/database/sql-states.ts), the machine code as message, {"detail": sentence, "extra": {...}} as detail.
-- A refusal is an answer and no error of the database, so it stays out of Postgres' log, where the user may say so (docs/operations.md). The
-- setting ends with the transaction, which the exception rolls back.
create function refuse(code text, sentence text, extra json default '{}') returns void language plpgsql as $$
begin
  if has_parameter_privilege('log_min_messages', 'set') then
    perform set_config('log_min_messages', 'fatal', true);
  end if;
  raise exception using errcode = 'CN000', message = code, detail = json_build_object('detail', sentence, 'extra', extra)::text;
end $$;
