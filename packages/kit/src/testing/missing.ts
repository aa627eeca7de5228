/** Tells why a test cannot run on this machine, for the `skip` of a test. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Returns the reason to skip a test that needs `program`; false if it is installed. `npm test` lists the
 * reasons.
 */
export function missing(program: string): string | false {
  const folders = process.env['PATH']?.split(delimiter) ?? [];
  return !folders.some((folder) => existsSync(join(folder, program))) && `${program} is not installed`;
}

/** The reason to skip a test that only root can run; false for root. */
export const notRoot = process.getuid?.() !== 0 && 'only root can run it';
