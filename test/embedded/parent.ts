// The smallest process that has embedded parts: tests start it to kill it.
// It prints one line: what it started, or its fault.
import { onStopSignal, startEmbedded, watchParent } from '../../src/embedded/index.ts';

const [, , dataDir = ''] = process.argv;

try {
  const embedded = await startEmbedded({
    dataDir,
    postgres: true,
    temporal: true,
    postgresPort: 0,
    temporalPorts: { port: 0, uiPort: 0 },
    namespace: 'default',
    searchAttributes: [],
    progress: () => undefined,
    onLost: () => undefined,
  });
  embedded.writeRunningFacts({ base_url: 'http://127.0.0.1:4100' });
  process.stdout.write(`${JSON.stringify(embedded)}\n`);
  const end = (): void => void embedded.stop();
  onStopSignal(end);
  watchParent(end);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ fault: (error as Error).message })}\n`);
  process.exitCode = 1;
}
