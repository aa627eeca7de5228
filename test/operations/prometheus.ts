import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Test } from 'tap';
import { isObject } from '../../scripts/contract/kit/canonical.js';
import { missing } from '../../scripts/contract/test/support/missing.js';
import { fixedPorts } from '../../scripts/kit/fixed-ports.js';
import { launch } from '../../scripts/kit/programs.js';
import { projectFolder } from '../../src/project.js';
import { docsBlock } from '../support/docs/docs-block.js';
import { makeFolder, until } from '../support/programs/process.js';

const program = 'prometheus';

export const withoutPrometheus = missing(program);

export const rulesFile = join(projectFolder, 'docs', 'operations', 'alerts.yml');

const milliseconds = { s: 1_000, m: 60_000 };

/** Divides every duration of a configuration. */
function hasten(text: string, factor: number): string {
  return text.replaceAll(/\b([0-9]+)([sm])\b/g, (_duration, count, unit: 's' | 'm') => {
    return `${Math.round((Number(count) * milliseconds[unit]) / factor)}ms`;
  });
}

/**
 * Starts Prometheus with the configuration and the rules of docs/operations/, on another target.
 *
 * @param factor divides all durations
 * @returns a function that reads the names of the alerts that fire, and of those that wait for it
 */
export async function startPrometheus(t: Test, { target, factor }: { target: string; factor: number }) {
  const folder = await makeFolder(t);
  const configuration = await docsBlock('operations/README.md', 'Prometheus', 'yaml');
  const elsewhere = configuration.replace('127.0.0.1:9464', target);
  await writeFile(join(folder, 'prometheus.yml'), hasten(elsewhere, factor));
  await writeFile(join(folder, 'alerts.yml'), hasten(await readFile(rulesFile, 'utf8'), factor));
  const [port] = await fixedPorts(1);
  const address = `127.0.0.1:${port}`;
  launch(t, program, [
    `--config.file=${join(folder, 'prometheus.yml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
    `--query.lookback-delta=${hasten('5m', factor)}`,
    '--log.level=error',
  ]);
  await until('Prometheus is ready', () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  );
  const read = async (path: string): Promise<unknown> =>
    (await fetch(`http://${address}/api/v1/${path}`)).json();
  await until('it has scraped', async () => JSON.stringify(await read('targets')).includes('"health":"up"'));
  return async (): Promise<{ firing: string[]; pending: string[] }> => {
    const body = await read('alerts');
    // The API documents this form.
    const { data } = body as { data: { alerts: { state: string; labels: { alertname: string } }[] } };
    if (!isObject(data)) throw new Error(`Prometheus answers ${JSON.stringify(body)}.`);
    const named = (wanted: string) =>
      [
        ...new Set(data.alerts.filter(({ state }) => state === wanted).map(({ labels }) => labels.alertname)),
      ].sort();
    return { firing: named('firing'), pending: named('pending') };
  };
}
