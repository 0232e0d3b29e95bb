import type { Answered, CommandCall } from '../../commands/command.ts';
import { runCommand } from '../../commands/run.ts';
import type { Context } from '../../context/context.ts';
import { refusalOfForwardUrl, tracedUrl } from './forward-url.ts';
import { saveEndpoint, type EndpointChanges } from './queries.ts';
import { letsMorePass } from './policy.ts';
import { activeEndpoint, endpointDecidedAbout, shownEndpoint } from './read.ts';
import type { Endpoint, UpdateEndpoint } from './schema.ts';

/**
 * Changes an endpoint. What sends events elsewhere, and what lets more of them pass, has an audit event of its own, and needs a person. Another
 * path is elsewhere too: many receivers share one origin.
 * @throws CarnetError FORWARD_URL_FORBIDDEN; NOT_FOUND; ENDPOINT_REVOKED; GOVERNANCE_APPROVAL_REQUIRED
 */
export async function updateEndpoint(
  context: Context,
  call: CommandCall,
  { id, patch }: { id: string; patch: UpdateEndpoint },
): Promise<Answered<Endpoint>> {
  const forbidden = await refusalOfForwardUrl(context, patch.forward_url);
  return runCommand(context, call, async (unit) => {
    const { connection } = unit;
    if (forbidden !== null) throw forbidden;
    const before = await activeEndpoint(connection, call.caller, id);
    const after = withPatch(before, patch);
    const redirected = after.forward_url !== null && after.forward_url !== before.forward_url;
    const weakened = letsMorePass(after, before);
    if (weakened || redirected) {
      const subject = endpointDecidedAbout(before);
      const refused = await context.requireApproval(unit, call, { act: 'inbound_endpoint.loosened', subject });
      if (refused !== null) return refused;
    }
    await saveEndpoint(connection, id, after);
    await unit.audit('inbound_endpoint.updated', id, { fields: Object.keys(patch) });
    if (redirected) {
      await unit.audit('inbound_endpoint.redirected', id, {
        from: tracedUrl(before.forward_url),
        to: tracedUrl(after.forward_url),
      });
    }
    if (weakened) {
      const [was, is] = [before, after].map(({ block_at, mode }) => ({ block_at, mode }));
      await unit.audit('inbound_endpoint.weakened', id, { was, is });
    }
    unit.changed(id);
    return { status: 200, body: await shownEndpoint(context, connection, { caller: call.caller, id }) };
  });
}

/** A member that the patch leaves out stays; null clears what may be null. */
const withPatch = (before: EndpointChanges, { name, forward_url, policy }: UpdateEndpoint): EndpointChanges => ({
  name: name === undefined ? before.name : name,
  forward_url: forward_url === undefined ? before.forward_url : forward_url,
  block_at: policy?.block_at ?? before.block_at,
  mode: policy?.mode ?? before.mode,
});
