/**
 * Creates, in a closed or an open loop: arrivals, batches, shards and a worker that fails, in virtual time.
 */
import { BatchSize } from '../../src/batching/batch-size.js';
import { Random } from '../survive/random.js';
import { beginLoad, type Load } from './arrivals.js';
import { Clock, Cores, Thread } from './events.js';

/** Microseconds. docs/scale/model.md says how they were measured. */
export interface Coefficients {
  /** CPU of the load generator for a request. */
  readonly client: number;
  /** CPU of the service's thread. */
  readonly service: { readonly request: number; readonly batch: number };
  /** CPU of the PostgreSQL that stores the plants. */
  readonly postgres: { readonly statement: number; readonly row: number };
  /** CPU of a coordinator before it. */
  readonly coordinator: { readonly statement: number; readonly row: number };
  /** From the end of the statement's CPU until its commit is on the disk. */
  readonly commit: number;
}

export interface Scenario {
  readonly load: Load;
  readonly seconds: number;
  /** Of the one machine that all share; undefined if each program has cores of its own. */
  readonly sharedCores: number | undefined;
  /** Cores of each PostgreSQL, if they have their own. */
  readonly postgresCores: number;
  /** PostgreSQL servers, and shards on them in turn. One shard is a plain PostgreSQL. */
  readonly servers: number;
  readonly shards: number;
  readonly owners: number;
  /**
   * The first server is away in this time. Statements for it fail at once. Requests whose statements it had
   * wait until it is back and says whether they were stored; other batches do not wait for them.
   */
  readonly failure?: { readonly fromMs: number; readonly toMs: number };
  readonly seed: number;
}

export interface Prediction {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
  readonly batch: number;
  readonly refused: number;
}

/** As in src/batching/coalescer.ts, which keeps real time. */
const few = { items: 8, batches: 4 };
const refusalMicroseconds = 5_000;
/** Each connection of a server that went away breaks at its own moment until then. */
const longestBreakMicroseconds = 15_000;
const retryMicroseconds = 100_000;
/** Of a run, this share is not counted. */
const warmUp = 0.2;

interface Item {
  readonly answer: (isStored: boolean) => void;
}

/** Unknown if the server went away before it answered. */
type Outcome = 'stored' | 'refused' | 'unknown';

export function simulate(coefficients: Coefficients, scenario: Scenario): Prediction {
  const { client, service, postgres, coordinator, commit } = coefficients;
  const clock = new Clock();
  const shared = scenario.sharedCores === undefined ? undefined : new Cores(clock, scenario.sharedCores);
  const clients = new Thread(clock, shared ?? new Cores(clock, 1));
  const node = new Thread(clock, shared ?? new Cores(clock, 1));
  const servers = Array.from(
    { length: scenario.servers },
    () => shared ?? new Cores(clock, scenario.postgresCores),
  );
  const front = shared ?? new Cores(clock, scenario.postgresCores);
  const end = scenario.seconds * 1e6;
  const random = new Random(scenario.seed);
  const latencies: number[] = [];
  const counts = { batches: 0, items: 0, refused: 0 };

  const isDown = (server: number, forMicroseconds = 0) =>
    server === 0 &&
    scenario.failure !== undefined &&
    clock.now >= 1_000 * scenario.failure.fromMs + forMicroseconds &&
    clock.now < 1_000 * scenario.failure.toMs;

  const untilBack = () => 1_000 * (scenario.failure?.toMs ?? 0) - clock.now;

  const runStatement = (server: number, items: number, then: (outcome: Outcome) => void) => {
    if (isDown(server, random.below(longestBreakMicroseconds)))
      return clock.after(refusalMicroseconds, () => then('refused'));
    const timeOf = (cost: typeof postgres) => cost.statement + cost.row * items;
    return front.run(timeOf(coordinator), () =>
      servers[server]?.run(timeOf(postgres), () =>
        clock.after(commit, () => then(isDown(server) ? 'unknown' : 'stored')),
      ),
    );
  };
  const answerAll = (items: readonly Item[], isStored: boolean) => {
    for (const { answer } of items) node.run(service.request / 2, () => answer(isStored));
  };
  const queues = Array.from({ length: scenario.shards }, (_, shard) =>
    coalescer(clock, node, (items) => {
      const server = shard % scenario.servers;
      counts.batches++;
      counts.items += items.length;
      return (done) =>
        node.run(service.batch, () =>
          runStatement(server, items.length, (outcome) => {
            // The service asks whether they were stored (src/batching/settle.ts), and no batch waits for
            // that.
            if (outcome === 'unknown') clock.after(untilBack(), () => answerAll(items, false));
            else answerAll(items, outcome === 'stored');
            node.run(0, () => done(outcome));
          }),
        );
    }),
  );

  const send = (next: () => void, moment?: number) =>
    clients.run(client, () => {
      const since = moment ?? clock.now;
      const queue = queues[random.below(scenario.owners) % scenario.shards];
      const answer = (isStored: boolean) => {
        if (!isStored) {
          counts.refused++;
          clock.after(retryMicroseconds, () => send(next, moment));
          return;
        }
        if (clock.now > warmUp * end) latencies.push(clock.now - since);
        next();
      };
      node.run(service.request / 2, () => queue?.({ answer }));
    });
  beginLoad(clock, random, scenario.load, send);
  clock.runUntil(end);

  latencies.sort((one, other) => one - other);
  const at = (share: number) => (latencies[Math.floor(share * latencies.length)] ?? Number.NaN) / 1_000;
  return {
    perSecond: latencies.length / (scenario.seconds * (1 - warmUp)),
    p50: at(0.5),
    p99: at(0.99),
    batch: counts.items / counts.batches,
    refused: counts.refused,
  };
}

/** @returns a function that takes an item */
function coalescer(
  clock: Clock,
  node: Thread,
  start: (items: readonly Item[]) => (done: (outcome: Outcome) => void) => void,
): (item: Item) => void {
  const size = new BatchSize();
  const waiting: Item[] = [];
  let inFlight = 0;
  let itemsInFlight = 0;
  let turn: object | undefined;
  const next = (): void => {
    const isFew = itemsInFlight + waiting.length <= few.items;
    if (isFew ? inFlight >= few.batches : turn !== undefined || inFlight >= size.inFlight) return;
    if (waiting.length === 0) {
      if (inFlight === 0) size.idle();
      return;
    }
    const items = waiting.splice(0, isFew ? few.items : size.next(waiting.length));
    const begun = { at: clock.now, idle: node.idle };
    const own = {};
    turn = own;
    inFlight++;
    itemsInFlight += items.length;
    const endTurn = () => {
      if (turn === own) turn = undefined;
      next();
    };
    clock.after(1_000 * size.turnMs, endTurn);
    start(items)((outcome) => {
      inFlight--;
      itemsInFlight -= items.length;
      const idle = (node.idle - begun.idle) / 1_000;
      if (outcome === 'stored') size.learn((clock.now - begun.at) / 1_000, idle, items.length);
      endTurn();
    });
  };
  return (item) => {
    waiting.push(item);
    // As setImmediate: after the requests that have arrived already.
    if (waiting.length === 1) node.run(0, next);
  };
}
