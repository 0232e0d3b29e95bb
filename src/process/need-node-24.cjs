/**
 * A Node before 22.18 refuses to load any .ts, and so no line of one could tell what is wrong. That is why the programs that people start by
 * hand (src/api.ts, src/worker.ts, src/database/migrate.ts) are links to a .cjs beside them, which every Node loads: it comes here first.
 */
const NEEDED = 24;

exports.needNode24 = () => {
  if (Number(process.versions.node.split('.')[0]) >= NEEDED) return;
  console.error(
    `carnet: this is Node ${process.versions.node}, and Carnet needs Node ${NEEDED}, which its packages bring along. In the folder of the project run "node scripts/install.mjs" and 'export PATH=$PWD/node_modules/.bin:$PATH', then this command again.`,
  );
  process.exit(1);
};
