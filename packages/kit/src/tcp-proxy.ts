/**
 * Stands between two programs, and does what a network can do to them. Without a fault it passes each byte
 * on, and pauses the sender while the receiver has no room, so that it adds no buffer of its own. The weather
 * is the state of the network, for all its connections at once.
 */

import { once } from 'node:events';
import { connect, createServer, type NetConnectOpts, type Server, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { portOf, type Scope } from '../../contract-tools/base.js';
import { DelayLine } from './delay-line.js';

/**
 * The state of the network. With "fair", everything passes. With "silence", nothing passes now, and
 * everything passes later. With "drop", nothing passes, and it is lost. With "halve", half of what comes
 * passes, and then the connection is reset. With "reset", it is reset at once. With "delay", everything
 * passes later.
 */
export type Weather = 'fair' | 'silence' | 'drop' | 'halve' | 'reset' | 'delay';

/** How much later everything arrives with "delay". */
export const delayMs = 200;

interface Pair {
  readonly near: Socket;
  readonly far: Socket;
  isSilent: boolean;
  isOver: boolean;
}

export class TcpProxy {
  readonly port: number;
  readonly #server: Server;
  readonly #pairs = new Set<Pair>();
  readonly #toUpstream: DelayLine;
  readonly #fromUpstream = new DelayLine(0);
  #weather: Weather = 'fair';

  private constructor(server: Server, upstreamDelayMs: number) {
    this.#server = server;
    this.#toUpstream = new DelayLine(upstreamDelayMs);
    // The server listens on TCP, so its address has this form.
    this.port = portOf(server);
  }

  /**
   * Listens on a free port of 127.0.0.1 until the end of the scope.
   *
   * @param upstream returns where to connect to; undefined if nobody is there now
   * @param upstreamDelayMs how much later everything arrives there; answers are not delayed
   */
  static async start(
    scope: Scope,
    upstream: () => NetConnectOpts | undefined,
    upstreamDelayMs = 0,
  ): Promise<TcpProxy> {
    const server = createServer({ allowHalfOpen: true, noDelay: true });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const proxy = new TcpProxy(server, upstreamDelayMs);
    server.on('connection', (near) => proxy.#connect(near, upstream()));
    scope.teardown(() => proxy.#close());
    return proxy;
  }

  /** Sets the weather for a time, after which it is fair again. */
  async make(weather: Exclude<Weather, 'fair'>, durationMs: number): Promise<void> {
    this.begin(weather);
    await pause(durationMs);
    this.clearUp();
  }

  /** Sets the weather until `clearUp`. */
  begin(weather: Exclude<Weather, 'fair'>): void {
    this.#weather = weather;
    if (weather === 'reset') this.#resetAll();
    if (weather === 'silence') this.silence();
    if (weather === 'delay') this.#delayMore(delayMs);
  }

  /** Makes the weather fair again. */
  clearUp(): void {
    const before = this.#weather;
    this.#weather = 'fair';
    if (before === 'delay') this.#delayMore(-delayMs);
    if (before === 'silence') for (const pair of this.#pairs) setSilence(pair, false);
    // A connection that has lost bytes cannot go on.
    if (before === 'drop') this.#resetAll();
  }

  /** Lets nothing pass any more on the connections that there are. */
  silence(): void {
    for (const pair of this.#pairs) setSilence(pair, true);
  }

  /** Accepts no more connections. Those that there are stay. */
  refuse(): void {
    this.#server.close();
  }

  #connect(near: Socket, upstream: NetConnectOpts | undefined): void {
    near.on('error', () => {});
    if (upstream === undefined || this.#weather === 'reset') {
      near.resetAndDestroy();
      return;
    }
    const far = connect({ ...upstream, allowHalfOpen: true, noDelay: true });
    const pair: Pair = { near, far, isSilent: false, isOver: false };
    this.#pairs.add(pair);
    if (this.#weather === 'silence') setSilence(pair, true);
    for (const socket of [near, far]) {
      socket.on('error', () => reset(pair));
      socket.on('close', () => {
        if (near.destroyed && far.destroyed) this.#pairs.delete(pair);
      });
    }
    // If connections are halved, one of the two directions is cut.
    const cutsAnswer = this.#pairs.size % 2 === 0;
    this.#pass(pair, [near, far], this.#toUpstream, !cutsAnswer);
    this.#pass(pair, [far, near], this.#fromUpstream, cutsAnswer);
  }

  #pass(pair: Pair, [from, to]: readonly [Socket, Socket], line: DelayLine, isCut: boolean): void {
    /** Reads the next chunk only when the receiver has room for it. */
    const write = (chunk: Buffer) => {
      if (to.write(chunk) || from.isPaused()) return;
      from.pause();
      to.once('drain', () => {
        if (!pair.isSilent) from.resume();
      });
    };
    from.on('data', (chunk: Buffer) => {
      if (this.#weather === 'drop') return;
      if (this.#weather === 'halve' && isCut)
        to.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => reset(pair));
      else line.add(() => write(chunk));
    });
    from.on('end', () => line.add(() => to.end()));
  }

  #delayMore(ms: number): void {
    for (const line of [this.#toUpstream, this.#fromUpstream]) line.delayMs += ms;
  }

  #resetAll(): void {
    for (const pair of this.#pairs) reset(pair);
  }

  #close(): void {
    this.#server.close();
    for (const { near, far } of this.#pairs) for (const socket of [near, far]) socket.destroy();
  }
}

function setSilence(pair: Pair, isSilent: boolean): void {
  pair.isSilent = isSilent;
  for (const socket of [pair.near, pair.far]) {
    if (isSilent) socket.pause();
    else socket.resume();
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
