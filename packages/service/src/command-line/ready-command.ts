/**
 * The command `plant-store ready`, for what starts the service and asks whether it serves: the health checks of an image
 * and of compose, and a unit of systemd. They have the settings of the service already, and no other program is needed.
 */
import { readSettings } from '../settings.js';
import { refuseArguments } from './arguments.js';

const timeoutMs = 5_000;

export const usage = (
  program: string,
) => `Asks the service on this machine, at the PORT of the settings, whether it can serve.

  ${program} ready

  Exit code 1: it does not answer within 5 s, or /ready does not answer 200. Then a line says why.`;

/**
 * @returns the exit code
 * @throws {UsageError} if there are arguments
 * @throws {SettingsError} if a setting is wrong
 */
export async function run(parameters: string[]): Promise<number> {
  refuseArguments(parameters);
  const { host, port, admin } = readSettings();
  // On ADMIN_PORT, the question does not wait behind clients, and the answer has the reason.
  const url = `http://${hereOf(admin ?? { host, port })}/ready`;
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).then(
    async (response) => ({ isReady: response.ok, text: await response.text() }),
    () => ({ isReady: false, text: 'there is no answer' }),
  );
  if (!answer.isReady) console.error(`${url}: ${answer.text}`);
  return answer.isReady ? 0 : 1;
}

/** @returns the address by which this machine reaches what listens there, also if that is all of its addresses */
function hereOf({ host, port }: { readonly host: string; readonly port: number }): string {
  if (host === '0.0.0.0') return `127.0.0.1:${port}`;
  if (host === '::') return `[::1]:${port}`;
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}
