-- A text as a field of RFC 4180. Spreadsheets run a text as a formula that begins with = + - @, also in full width, after blanks of any kind, or with tab or a
-- line break: an apostrophe before it says that it is none.
create function csv_text(p_text text) returns text language sql immutable as $$
  select coalesce('"' || replace(case
    when p_text ~ '^([\t\r\n]|[\u0001-\u0020\u0085\u00a0\u1680\u180e\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]*[=+@\u207a\u207b\u2212\ufe62-\ufe66\ufe6b\uff0b\uff0d\uff1d\uff20-])'
    then '''' || p_text else p_text end, '"', '""') || '"', '');
$$;
