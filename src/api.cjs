const { needNode24 } = require('./process/need-node-24.cjs');

needNode24();
void import('./process/api.ts');
