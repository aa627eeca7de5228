/** Stands between two programs, and does what a network can do to them. */
import { once } from 'node:events';
import {
  type AddressInfo,
  connect,
  createServer,
  type NetConnectOpts,
  type Server,
  type Socket,
} from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cleanup } from '../../kit/cleanup.js';

/**
 * What the network does. With "silence", nothing passes now, and everything passes later. With "drop",
 * nothing passes, and it is lost. With "halve", half of what comes passes, and then the connection is reset.
 * With "reset", it is reset at once.
 */
export type Weather = 'fair' | 'silence' | 'drop' | 'halve' | 'reset' | 'delay';

export const delayMs = 200;

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isOver: boolean;
}

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  #weather: Weather = 'fair';
  #clears: Promise<void> = Promise.resolve();
  #clear: () => void = () => {};

  private constructor(server: Server) {
    this.#server = server;
    // The server listens on TCP, so its address has this form.
    this.port = (server.address() as AddressInfo).port;
  }

  /** @param upstream returns where to connect to; undefined if nobody is there now */
  static async start(cleanup: Cleanup, upstream: () => NetConnectOpts | undefined): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server);
    server.on('connection', (near) => proxy.#connect(near, upstream()));
    cleanup.add(() => proxy.#close());
    return proxy;
  }

  /** Makes the network behave so for a time, and fair again after it. */
  async make(weather: Exclude<Weather, 'fair'>, durationMs: number): Promise<void> {
    this.#weather = weather;
    this.#clears = new Promise((resolve) => {
      this.#clear = resolve;
    });
    if (weather === 'reset') this.#resetAll();
    await pause(durationMs);
    this.#weather = 'fair';
    this.#clear();
    // A connection that has lost bytes cannot go on.
    if (weather === 'drop') this.#resetAll();
  }

  #connect(near: Socket, upstream: NetConnectOpts | undefined): void {
    near.on('error', () => {});
    if (upstream === undefined || this.#weather === 'reset') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...upstream, allowHalfOpen: true });
    const pair = { near, far, isOver: false };
    this.#pairs.add(pair);
    far.on('error', () => reset(pair));
    near.on('error', () => reset(pair));
    const over = () => {
      if (near.destroyed && far.destroyed) this.#pairs.delete(pair);
    };
    near.on('close', over);
    far.on('close', over);
    // If connections are halved, one of the two directions is cut.
    const cutsAnswer = this.#pairs.size % 2 === 0;
    void this.#pass(near, far, pair, !cutsAnswer);
    void this.#pass(far, near, pair, cutsAnswer);
  }

  async #pass(from: Socket, to: Socket, pair: Pair, isCut: boolean): Promise<void> {
    try {
      for await (const chunk of from) await this.#forward(chunk, to, pair, isCut);
      to.end();
    } catch {
      reset(pair);
    }
  }

  async #forward(chunk: Buffer, to: Socket, pair: Pair, isCut: boolean): Promise<void> {
    if (this.#weather === 'silence') await this.#clears;
    if (this.#weather === 'delay') await pause(delayMs);
    if (this.#weather === 'drop') return;
    if (this.#weather === 'halve' && isCut) {
      to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => reset(pair));
      return;
    }
    if (!to.write(chunk)) await once(to, 'drain');
  }

  #resetAll(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  #close(): void {
    this.#server.close();
    for (const { near, far } of this.#pairs) for (const socket of [near, far]) socket.destroy();
  }
}

function reset(pair: Pair): void {
  if (pair.isOver) return;
  pair.isOver = true;
  for (const socket of [pair.near, pair.far]) {
    // A Unix socket cannot be reset. One that is ending would never be closed (libuv, uv_tcp_close_reset).
    if (socket.remoteFamily === undefined || socket.writableEnded || socket.writableLength > 0)
      socket.destroy();
    else socket.pause().resetAndDestroy();
  }
}
