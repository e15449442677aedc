import { createProxy } from '../../src/proxy/create-proxy.ts';
import { limitYoungMemory } from '../../src/proxy/limit-young-memory.ts';

/** The proxy in a process of its own, so that its memory can be measured: `node proxy-child.ts <to>` prints its port. */
const [, , to = ''] = process.argv;
limitYoungMemory();
const proxy = createProxy({ to });
console.log(await proxy.listen(0, '127.0.0.1'));
