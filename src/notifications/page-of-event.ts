interface Named {
  approval_id?: string | undefined;
  checkout_id?: string | null | undefined;
  key_id?: string | undefined;
  member_id?: string | undefined;
  agent_id?: string | null | undefined;
}

/**
 * The page of the dashboard where somebody acts on an event: the one that decides, else the one that shows it.
 * @returns a path below `/dashboard`; '' for the overview
 */
export function pageOfEvent(eventType: string, payload: Named): string {
  const { approval_id: approval, checkout_id: review, key_id: key, member_id: member, agent_id: agent } = payload;
  const isOfAgent = /^(?:agent|passport|review)\./.test(eventType);
  if (approval !== undefined) return `/approvals/${approval}`;
  if (eventType !== 'agent.blocked' && review !== undefined && review !== null) return `/reviews/${review}`;
  if (key !== undefined) return `/keys/${key}`;
  if (member !== undefined) return `/members/${member}`;
  if (eventType === 'operator.address_changed') return '/operator';
  return isOfAgent && agent !== undefined && agent !== null ? `/agents/${agent}` : '';
}
