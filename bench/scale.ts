import { parseArgs } from 'node:util';

import './without-bundler.ts';

/**
 * What more processors, more servers and more rows bring and cost. docs/scale.md has the figures. The parts run alone:
 *
 *     npm run bench scale -- --part servers --rounds 5 --seconds 8 --connections 32
 *     npm run bench scale -- --part ingest --rounds 3
 *     npm run bench scale -- --part growth --errors 10000,1000000 --flights 1000000
 *
 * Other work on the machine changes what is done in a second far more than the processor's time for one request. So each part
 * counts the time of the processor, by process, and growth the database's own time besides.
 */
const { values: flags } = parseArgs({
  options: {
    part: { type: 'string', default: 'servers' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '6' },
    connections: { type: 'string', default: '32' },
    path: { type: 'string', default: '/runtime' },
    errors: { type: 'string', default: '10000,1000000' },
    flights: { type: 'string', default: '1000000' },
    explain: { type: 'boolean', default: false },
  },
});

switch (flags.part) {
  case 'servers': {
    const { compareServers } = await import('./scale/servers.ts');
    await compareServers({
      rounds: Number(flags.rounds),
      seconds: Number(flags.seconds),
      connections: Number(flags.connections),
      path: flags.path,
    });
    break;
  }
  case 'ingest': {
    const { compareIngest } = await import('./scale/ingest.ts');
    await compareIngest(Number(flags.rounds));
    break;
  }
  case 'growth': {
    const { measureGrowth } = await import('./scale/growth.ts');
    const sizes = flags.errors.split(',').map(Number);
    await measureGrowth({ sizes, flights: Number(flags.flights), explains: flags.explain });
    break;
  }
  default:
    throw new Error('--part is servers, ingest or growth');
}
