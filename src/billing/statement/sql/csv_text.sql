-- A text as a field of RFC 4180. Spreadsheets run a text that begins with = + - @, tab or carriage return as a formula: an apostrophe
-- before it says that it is none.
create function csv_text(p_text text) returns text language sql immutable as $$
  select coalesce('"' || replace(case when p_text ~ '^[=+@\t\r-]' then '''' || p_text else p_text end, '"', '""') || '"', '');
$$;
