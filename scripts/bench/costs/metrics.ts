/** What counting for Prometheus takes of the service's main thread. */
import { mkdtemp, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { service } from '../contestants.js';
import { BenchDatabase } from '../database.js';
import { FailedLoadError, unusedIds } from '../load.js';
import type { Measured } from '../results.js';
import { type Entrant, inRounds, seriesOf } from '../rounds.js';
import { Server } from '../server.js';
import { owners, type Session } from '../session.js';
import { askOnNewConnection } from '../shares/connection.js';
import { busyTime, type Profile } from './profile.js';

export const metricsCounts = [1, 64];
const title = 'Metrics, of the CPU time of the main thread';
const settings = { ADMIN_PORT: '0' };
/** Microseconds between samples: with V8's usual 1,000, a load of 2 s would have too few. */
const interval = 200;

/** Questions of Prometheus, one after the other, at rest. */
const scrapes = 20;

interface Figures {
  /** Percent of a create's time. */
  readonly share: number;
  /** Milliseconds. */
  readonly scrape: number;
}

/**
 * Throughputs with and without metrics differ by less than two runs of the same code. So the share is that of
 * the samples in which V8 was in their code. What they add to the garbage collection is not in it.
 */
export async function measureMetrics(session: Session): Promise<Measured[]> {
  if (!session.contestants.includes(service)) return [];
  const database = await BenchDatabase.create(session.postgres, session.tokens);
  const counts = session.options.connections ?? metricsCounts;
  const entrants = counts.map((count) => entrantOf(session, database, count));
  const measured = await inRounds(title, entrants, session);
  const common = { better: 'less', axis: 'connections' } as const;
  const series = {
    share: seriesOf(measured, ({ share }) => share),
    scrape: seriesOf(measured, (all) => all.scrape),
  };
  return [
    { ...common, name: 'metrics', title, unit: '%', series: series.share },
    {
      ...common,
      name: 'metrics-scrape',
      title: 'CPU time of a scrape, at rest',
      unit: 'ms',
      series: series.scrape,
    },
  ];
}

function entrantOf(
  { cleanup, folder, options, send, tokens }: Session,
  database: BenchDatabase,
  connections: number,
): Entrant<Figures> {
  const { file, parameters } = service.command;
  return {
    ...{ name: service.name, title: service.title, at: connections, warmUp: null },
    prepare: () => database.fill(0, owners),
    async measure() {
      const profiles = await mkdtemp(join(folder, 'profile-'));
      const recording = ['--cpu-prof', `--cpu-prof-interval=${interval}`, `--cpu-prof-dir=${profiles}`];
      const command = { file, parameters: [...recording, ...parameters] };
      const server = await Server.start(cleanup, command, database.url, settings);
      const load = (seconds: number) =>
        send(server.address, { kind: 'create', connections, seconds, firstId: unusedIds(), tokens });
      await load(options.warmUp);
      const begin = microseconds();
      await load(options.seconds);
      const middle = microseconds();
      for (let count = 0; count < scrapes; count++) await scrape(server);
      const end = microseconds();
      await server.stop();
      const profile = await readProfile(profiles);
      const creating = busyTime(profile, isOfMetrics, { from: begin, until: middle });
      const scraping = busyTime(profile, isOfMetrics, { from: middle, until: end });
      const share = (creating.theirs / creating.all) * 100;
      if (!(share > 0))
        throw new FailedLoadError('The CPU profile of the creates has no sample in the metrics.');
      return {
        share,
        scrape: scraping.all / scrapes / 1_000,
      };
    },
  };
}

async function scrape({ adminAddress = '' }: Server): Promise<void> {
  const { status } = await askOnNewConnection(adminAddress, '/metrics');
  if (status !== 200) throw new FailedLoadError(`/metrics was answered by ${status}.`);
}

/** The service writes it when it ends. */
async function readProfile(folder: string): Promise<Profile> {
  const names = await readdir(folder);
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw new FailedLoadError(`The service wrote ${names.length} CPU profiles to ${folder}, instead of one.`);
  return JSON.parse(await readFile(join(folder, name), 'utf8'));
}

function isOfMetrics(url: string): boolean {
  return (
    /\/dist\/src\/(?:metrics|quick-histogram)\.js$/.test(url) || url.includes('/node_modules/prom-client/')
  );
}

/** Of the clock that all processes of the machine share. */
function microseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}
