import type { JsonValue } from '../../json/value.ts';
import { withoutContents } from './attachments.ts';
import type { Body, Selected } from './body.ts';
import { selectLeaves } from './json.ts';

/** A payload of which every text is scanned. */
export function bodyOfJson(value: JsonValue): Body {
  const payload = withoutContents(value);
  const selected: Selected[] = [];
  selectLeaves(payload, '', selected);
  return { payload, selected, unscanned: [], sender: undefined };
}
