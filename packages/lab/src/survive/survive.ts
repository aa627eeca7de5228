/**
 * Runs the load and one fault after the other, and checks in the end what clients saw.
 *
 * 1. The stage is opened: PostgreSQL, the service, and proxies for the networks (stage.ts).
 * 2. Forty-eight clients of twelve owners send requests without a pause, until the end (load.ts).
 * 3. The faults are injected one at a time, in an order that follows from the seed, until the time is over
 *    (fault-injection.ts). Between two of them is a second of load without a fault, so that there is
 *    something to lose.
 * 4. Meanwhile, the history of each owner is checked when its clients have done their work (history.ts). What
 *    is wrong is an anomaly: an acknowledged item is lost, doubled or wrong, or an answer is outside the
 *    contract.
 * 5. In the end, each owner's items are listed once more.
 *
 * It costs what the faults cost: most of them take up to two seconds, and then the service has to come back.
 * Nothing here knows how the service works.
 */

import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { Random, type Scope } from '../../../contract-tools/base.js';
import { describe } from '../../../contract-tools/check.js';
import { readDocument } from '../../../contract-tools/index.js';
import type { Command } from '../../../kit/index.js';
import type { Anomaly } from './anomaly.js';
import { calm, type FaultResult, injectFault } from './fault-injection.js';
import type { InjectedFault } from './faults/injected-fault.js';
import { type Counts, clients, Load } from './load.js';
import { Outages } from './outages.js';
import { openStage, type Stage } from './stage.js';
import { plants, type Subject } from './subject.js';

interface Options {
  /** The program, listening on PORT and using DATABASE_URL. */
  readonly command: Command;
  /** Whose items it serves; plants if it is left out. */
  readonly subject?: Subject;
  /** Whether the service gets no DATABASE_URL, and keeps its PostgreSQL itself. */
  readonly embedded?: boolean;
  /** The number of processes that serve, by default 1. Several are behind HAProxy. */
  readonly replicas?: number;
  /** The path of pgbouncer if it is to stand between the service and PostgreSQL. */
  readonly pgbouncer?: string | undefined;
  readonly seconds: number;
  readonly seed: number;
  /** The faults, which are injected again and again, in an order that follows from the seed. */
  readonly faults: readonly InjectedFault<Stage>[];
  readonly onProgress?: (text: string) => void;
}

export interface Report {
  readonly seed: number;
  readonly seconds: number;
  readonly faultResults: readonly FaultResult[];
  readonly skipped: readonly string[];
  readonly counts: Counts;
  readonly owners: number;
  readonly anomalies: readonly (Anomaly & { readonly times: number })[];
  /** The last words of processes of the service that ended without being asked to. */
  readonly crashes: readonly string[];
}

/**
 * The time of load between two faults, so that there is something to lose. It begins when every client is
 * served again.
 */
const pauseMs = 1_000;
/** The time until the next look whether the run is over, if there is no fault to inject. */
const watchMs = 10;

/** @returns more owners than a load gets through in this time */
export function ownersFor(seconds: number): number {
  return 100 + 20 * seconds;
}

/**
 * Opens a stage, and injects the faults there.
 *
 * @throws {ProgramError} if the service does not start
 */
export async function survive(options: Options, cleanup: Scope): Promise<Report> {
  const { subject = plants, embedded = false, replicas = 1, pgbouncer, onProgress } = options;
  onProgress?.('starting PostgreSQL and the service');
  const owners = ownersFor(options.seconds);
  const stage = await openStage(cleanup, {
    command: options.command,
    subject,
    embedded,
    replicas,
    pgbouncer,
    owners,
  });
  const report = await injectAll({ ...options, ...stage, target: stage });
  return { ...report, crashes: stage.replicas.flatMap(({ crashes }) => crashes) };
}

/**
 * Keeps clients of `url` at work, injects one fault after the other into the target, and judges what clients
 * saw. The run ends early if the service does not come back after a fault.
 *
 * @throws {Error} if there are tokens for too few owners, or if a fault cannot be carried out
 */
export async function injectAll<Target>({
  url,
  tokens,
  subject = plants,
  target,
  seconds,
  seed,
  faults,
  onProgress = () => {},
}: Pick<Options, 'subject' | 'seconds' | 'seed' | 'onProgress'> & {
  readonly url: URL;
  /** A token for each owner that there will be, in their order. */
  readonly tokens: readonly string[];
  readonly target: Target;
  readonly faults: readonly InjectedFault<Target>[];
}): Promise<Omit<Report, 'crashes'>> {
  const file = subject.contractFile;
  const description = describe(readDocument(await readFile(file, 'utf8'), file));
  const skipped = faults.flatMap((fault) => {
    const reason = fault.missing?.(target);
    return reason === undefined ? [] : [`${fault.name}: ${reason}`];
  });
  const outages = new Outages(clients);
  const load = new Load({ url, description, seed, tokens, outages, subject });
  const faultResults: FaultResult[] = [];
  const begin = performance.now();
  const elapsedSeconds = () => (performance.now() - begin) / 1_000;
  load.start();
  outages.lifted();
  const random = new Random(seed);
  const order = endless(
    faults.filter((fault) => fault.missing?.(target) === undefined),
    random,
  );
  await calm(outages);
  while (elapsedSeconds() < seconds) {
    const fault = order.next().value;
    if (fault === undefined) {
      await pause(watchMs);
      continue;
    }
    onProgress(`${Math.round(elapsedSeconds())} s, ${load.counts.writes} writes: ${fault.name}`);
    faultResults.push(await injectFault(fault, () => fault.inject(target, random), outages, load.counts));
    if (faultResults.at(-1)?.servedAgain === undefined) break;
    await pause(pauseMs);
  }
  onProgress('checking');
  await load.stop();
  await load.checkInTheEnd();
  const { counts, anomalies, owners } = load;
  return { seed, seconds: elapsedSeconds(), faultResults, skipped, counts, owners, anomalies };
}

function* endless<Target>(
  faults: readonly InjectedFault<Target>[],
  random: Random,
): Generator<InjectedFault<Target>, undefined> {
  while (faults.length > 0) yield* random.shuffled(faults);
}
