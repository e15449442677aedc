import { connect, createServer, type Socket } from 'node:net';

/** A plain TCP balancer: each connection goes to the next server that accepts one. */
export type Balancer = {
  readonly port: number;
  /** Where the next connections may go. */
  readonly setTargets: (ports: readonly number[]) => void;
  readonly close: () => Promise<void>;
};

export async function startBalancer(): Promise<Balancer> {
  let targets: readonly number[] = [];
  let next = 0;
  const open = new Set<Socket>();

  function pass(client: Socket, triesLeft: number): void {
    const target = targets[(next += 1) % targets.length];
    if (target === undefined || triesLeft === 0) return void client.destroy();
    const server = connect(target, '127.0.0.1');
    open.add(server);
    server.once('connect', () => {
      client.pipe(server).pipe(client);
      client.on('error', () => server.destroy()).on('close', () => server.destroy());
      server.on('close', () => client.destroy());
    });
    // Before it is connected nothing was sent: another server may have it.
    server.on('error', () => (server.connecting || server.pending ? pass(client, triesLeft - 1) : client.destroy()));
    server.on('close', () => open.delete(server));
  }

  const listener = createServer({ pauseOnConnect: false }, (client) => {
    open.add(client);
    client.on('error', () => undefined).on('close', () => open.delete(client));
    pass(client, targets.length);
  });
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const address = listener.address();
  if (typeof address !== 'object' || !address) throw new Error('The balancer has no port');
  return {
    port: address.port,
    setTargets: (ports) => (targets = ports),
    async close() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => listener.close(resolve));
    },
  };
}
