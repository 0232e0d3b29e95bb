-- A refusal from inside a function. It rolls the command back, and src/database/errors.ts turns it into a CarnetError:
-- SQLSTATE CN000 (src/database/sql-states.ts), the machine code as message, {"detail": sentence, "extra": {...}} as detail.
create function refuse(code text, sentence text, extra json default '{}') returns void language plpgsql as $$
begin
  raise exception using errcode = 'CN000', message = code, detail = json_build_object('detail', sentence, 'extra', extra)::text;
end $$;
