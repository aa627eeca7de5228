/** Runs the load and one fault after the other, and checks in the end what clients saw. */
import { setTimeout as pause } from 'node:timers/promises';
import { readContract } from '../../../src/contract/document/document.js';
import { describe } from '../../contract/check/description.js';
import { Random } from '../../kit/random.js';
import type { Scope } from '../../kit/scope.js';
import type { Command } from '../../kit/server.js';
import { calm, type FaultResult, injectFault } from './fault-injection.js';
import type { Fault } from './faults.js';
import type { Finding } from './finding.js';
import { type Counts, clients, Load } from './load.js';
import { Outages } from './outages.js';
import { openStage } from './stage.js';
import { plants, type Subject } from './subject.js';

export interface Options {
  /** The program, listening on PORT and using DATABASE_URL. */
  readonly command: Command;
  /** Whose items it serves; plants if it is left out. */
  readonly subject?: Subject;
  /** Whether the program is the plain server instead of the service. */
  readonly isPlain?: boolean;
  /** Whether the service gets no DATABASE_URL, and keeps its PostgreSQL itself. */
  readonly embedded?: boolean;
  /** How many processes serve; 1 if it is left out. Several are behind HAProxy. */
  readonly replicas?: number;
  /** The path of pgbouncer if it is to stand between the service and PostgreSQL. */
  readonly pgbouncer?: string | undefined;
  readonly seconds: number;
  readonly seed: number;
  /** The time between two faults. It begins when every client is served again. */
  readonly pauseSeconds: number;
  /** The faults, which are injected again and again, in an order that follows from the seed. */
  readonly faults: readonly Fault[];
  readonly onProgress?: (text: string) => void;
}

export interface Report {
  readonly seed: number;
  readonly seconds: number;
  readonly faultResults: readonly FaultResult[];
  readonly skipped: readonly string[];
  readonly counts: Counts;
  readonly owners: number;
  readonly findings: readonly (Finding & { readonly times: number })[];
}

const watchMs = 10;
/** No load gets through more owners than this. */
const ownersPerSecond = 20;

export async function survive(options: Options, cleanup: Scope): Promise<Report> {
  const { command, subject = plants, isPlain = false, embedded = false, replicas = 1, pgbouncer } = options;
  const { seconds, seed, pauseSeconds, faults, onProgress = () => {} } = options;
  const { file } = await subject.parts.readContract();
  const description = describe(await readContract(file));
  onProgress('starting PostgreSQL and the service');
  const owners = 100 + ownersPerSecond * seconds;
  const stage = await openStage(cleanup, {
    command,
    subject,
    isPlain,
    embedded,
    replicas,
    pgbouncer,
    owners,
  });
  const skipped = faults.flatMap((fault) => {
    const reason = fault.missing?.(stage);
    return reason === undefined ? [] : [`${fault.name}: ${reason}`];
  });
  const outages = new Outages(clients);
  const load = new Load({ url: stage.url, description, seed, tokens: stage.tokens, outages, subject });
  const faultResults: FaultResult[] = [];
  const begin = performance.now();
  load.start();
  outages.lifted();
  const random = new Random(seed);
  const order = endless(
    faults.filter((fault) => fault.missing?.(stage) === undefined),
    random,
  );
  await calm(outages);
  while (performance.now() - begin < 1_000 * seconds) {
    const fault = order.next().value;
    if (fault === undefined) {
      await pause(watchMs);
      continue;
    }
    onProgress(
      `${Math.round((performance.now() - begin) / 1_000)} s, ${load.counts.writes} writes: ${fault.name}`,
    );
    faultResults.push(await injectFault(fault, () => fault.inject(stage, random), outages, load.counts));
    if (faultResults.at(-1)?.servedAgain === undefined) break;
    await pause(1_000 * pauseSeconds);
  }
  onProgress('checking');
  await load.stop();
  await load.checkInTheEnd();
  const elapsed = (performance.now() - begin) / 1_000;
  const { counts, findings } = load;
  const lives = load.owners;
  return { seed, seconds: elapsed, faultResults, skipped, counts, owners: lives, findings: [...findings] };
}

function* endless(faults: readonly Fault[], random: Random): Generator<Fault, undefined> {
  while (faults.length > 0) yield* random.shuffled(faults);
}
