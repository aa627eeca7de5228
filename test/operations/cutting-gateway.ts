/**
 * Stands between a proxy and a replica, and ends one connection at a moment that the test chooses: as the end
 * of an idle connection, a killed process or a lost network would.
 */

import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { Test } from 'tap';
import { portOf } from '../../packages/contract-tools/base.js';

/**
 * The moment of the cut: "unsent" before the next request reaches the replica, "unanswered" when its answer
 * begins, "midway" in the middle of the answer.
 */
type Cut = 'unsent' | 'unanswered' | 'midway';

const midwayBytes = 20_000;

export interface CuttingGateway {
  /** Its ports, each of which stands for a replica of its own. */
  readonly ports: readonly [number, number];
  /** How many requests with this method the proxy has sent. */
  count(method: string): number;
  /** The path of the last request that the proxy has sent. */
  lastPath(): string | undefined;
  /** How many requests have come to each port. */
  counts(): readonly number[];
  /** Cuts the connection of the next request, once. */
  cutNext(cut: Cut): void;
}

export async function startCuttingGateway(t: Test, replica: number): Promise<CuttingGateway> {
  const requests: { readonly at: number; readonly start: string }[] = [];
  const sockets = new Set<Socket>();
  let next: Cut | undefined;

  const serve = (at: number) => (near: Socket) => {
    const far = connect(replica, '127.0.0.1');
    let cut: Cut | undefined;
    let answeredBytes = 0;
    const end = () => {
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket
        .on('error', end)
        .on('close', end)
        .once('close', () => sockets.delete(socket));
    }
    near.on('data', (chunk) => {
      requests.push({ at, start: String(chunk.subarray(0, 100)) });
      cut ??= next;
      next = undefined;
      if (cut === 'unsent') end();
      else far.write(chunk);
    });
    far.on('data', (chunk) => {
      if (cut === 'unanswered') {
        end();
        return;
      }
      answeredBytes += chunk.length;
      if (cut !== 'midway' || answeredBytes < midwayBytes) near.write(chunk);
      // What was written is sent before the connection ends.
      else near.end(chunk.subarray(0, chunk.length - 10), () => far.destroy());
    });
  };

  const listen = async (at: number): Promise<number> => {
    const server = createServer(serve(at));
    t.teardown(() => server.close());
    await once(server.listen(0, '127.0.0.1'), 'listening');
    // A server that listens on TCP has this kind of address.
    return portOf(server);
  };
  const ports = [await listen(0), await listen(1)] as const;
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
  });
  return {
    ports,
    count: (method) => requests.filter(({ start }) => start.startsWith(`${method} `)).length,
    lastPath: () => requests.at(-1)?.start.split(' ')[1],
    counts: () => ports.map((_, port) => requests.filter(({ at }) => at === port).length),
    cutNext: (cut) => {
      next = cut;
    },
  };
}
