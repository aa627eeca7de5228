import type { Test } from 'tap';
import { plantStore } from '../../../../src/plant-store.js';
import { cleanEnvironment, type Ended, inProcess } from '../../../kit/testing.js';
import { runCommand } from '../../src/command-line/commands.js';

/**
 * Runs a command of the program `plant-store` in this process, because the start of Node.js takes longer than
 * what most commands do. It is not for a command that starts the embedded PostgreSQL, because such a process
 * ignores signals from then on.
 *
 * @param settings the only settings of the service that the command finds in its environment
 */
export async function runPlantStore(
  t: Test,
  parameters: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<Ended> {
  const before = { ...process.env };
  replaceEnvironment({ ...cleanEnvironment(), ...settings });
  try {
    return await inProcess(t, async () => {
      const loadService = async () => plantStore;
      await runCommand(parameters, { ...plantStore.project, loadService, embedded: undefined });
      return Number(process.exitCode ?? 0);
    });
  } finally {
    process.exitCode = undefined;
    replaceEnvironment(before);
  }
}

function replaceEnvironment(environment: NodeJS.ProcessEnv): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, environment);
}
