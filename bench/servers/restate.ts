import { serve, service, type Context } from '@restatedev/restate-sdk';
import pg from 'pg';
import { freePort } from '../../src/embedded/ports.ts';
import { commandsOf } from '../commands.ts';
import type { World } from '../world.ts';
import { ready, settings } from './child.ts';

/** Restate's side of the handler: the same three steps, journalled by its server. */

const { world, size } = settings<{ world: World; size: number }>();
const commands = commandsOf(new pg.Pool({ connectionString: world.databaseUrl, max: size }), world);

const chain = service({
  name: 'chain',
  handlers: {
    run: async (context: Context, { input, output }: { input: object; output: object }): Promise<object> => {
      const id = `inv_${context.rand.uuidv4()}`; // the same whenever the handler is replayed
      await context.run('invoke', () => commands.invoke(input, id));
      await context.run('claim', () => commands.claim(id));
      return context.run('complete', () => commands.complete(id, output));
    },
  },
});

const port = await freePort();
await serve({ services: [chain], port });
ready(port);
