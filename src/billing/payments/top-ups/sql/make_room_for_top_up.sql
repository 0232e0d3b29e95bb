-- Sees to it that an operator may open one more page of a top-up: where p_most wait to be paid, one gives way, first such as nobody was given, then the
-- oldest. One that is being opened for somebody is left a minute. Two calls take turns by the wallet; a page that is just being settled is
-- passed over, since its row is locked before the wallet. Returns null, or, where no page gives way, the seconds after which one does.
create function make_room_for_top_up(p_operator text, p_most int, p_request text) returns int language plpgsql as $$
declare v_page text;
begin
  perform from wallets where operator_id = p_operator for no key update;
  if p_most > (select count(*) from top_ups
      where operator_id = p_operator and status in ('opening', 'open') and expires_at > clock_timestamp()) then
    return null;
  end if;
  select id into v_page from top_ups
    where operator_id = p_operator and status in ('opening', 'open') and expires_at > clock_timestamp()
      and (given_at is not null or created_at <= clock_timestamp() - interval '1 minute')
    order by given_at is not null, created_at limit 1 for no key update skip locked;
  if not found then return 60; end if;
  perform close_top_up_page(v_page);
  perform wake_lives(array['top-up:' || v_page], array[p_operator]);
  perform audit_payment(p_operator, 'top_up.ended', v_page, jsonb_build_object('because', 'another page was opened'), p_request);
  return null;
end $$;
