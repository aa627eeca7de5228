/** Compares how the contestants answer a long list. */

import { BenchDatabase } from '../../kit/database.js';
import { serviceAndPeers } from './contestants.js';
import { copyList, type ListResult, readList } from './list.js';
import type { Measured } from './results.js';
import { type Entrant, inRounds, type Measurement, seriesOf } from './rounds.js';
import { type Running, type Session, withContestants } from './session.js';

export async function measureLists(session: Session): Promise<Measured[]> {
  const { options, postgres, progress, tokens } = session;
  const shared = await BenchDatabase.create(postgres, tokens);
  const plants = Math.round(options.plants / 10);
  const title = plants === 1_000_000 ? 'A million plants' : `${plants.toLocaleString('en')} plants`;
  progress.show(`storing ${plants.toLocaleString('en')} plants`);
  await shared.fill(plants, 1);
  return withContestants(session, { shared, only: serviceAndPeers }, async (all) => {
    const entrants: Entrant<ListResult>[] = [];
    for (const running of all) entrants.push(await reading(session, running, plants));
    const copy = copyEntrant(session, shared, plants);
    if (copy !== undefined) entrants.push(copy);
    return listMeasures('list', title, await inRounds(title, entrants, session));
  });
}

async function reading(
  { tokens }: Session,
  { contestant, server }: Running,
  plants: number,
): Promise<Entrant<ListResult>> {
  const { name, title } = contestant;
  const idle = await server.memory();
  const measure = () => readList(server, tokens[0] ?? '', plants, idle?.now);
  // The first lists of a server take half as long again, until V8 has compiled the code.
  const warmUp = async () => {
    for (let lists = 0; lists < 4; lists++) await measure();
  };
  return { name, title, at: plants, measure, warmUp };
}

function copyEntrant(
  session: Session,
  { url }: BenchDatabase,
  plants: number,
): Entrant<ListResult> | undefined {
  const { cleanup, missing, options, tools } = session;
  const name = 'copy';
  if (!options.wants(name)) return undefined;
  const { psql } = tools;
  if (psql === undefined) {
    missing.push(`${name}: psql is not on this machine (Debian: postgresql-client).`);
    return undefined;
  }
  return { name, title: "psql's COPY", at: plants, measure: () => copyList(cleanup, psql, url) };
}

/** Makes three measures of one list: its time, its first byte, and its memory. */
export function listMeasures(
  name: string,
  title: string,
  measurements: readonly Measurement<ListResult>[],
  axis?: string,
): Measured[] {
  const common = { ...(axis !== undefined && { axis }), better: 'less' } as const;
  return [
    {
      ...common,
      name,
      title: `${title}: time`,
      unit: 'ms',
      series: seriesOf(measurements, ({ time }) => time),
    },
    {
      ...common,
      name: `${name}-first-byte`,
      title: `${title}: first byte`,
      unit: 'ms',
      series: seriesOf(measurements, ({ firstByte }) => firstByte),
    },
    {
      ...common,
      name: `${name}-memory`,
      title: `${title}: memory above idle`,
      unit: 'MB',
      series: seriesOf(measurements, ({ memory }) => memory),
    },
  ];
}
