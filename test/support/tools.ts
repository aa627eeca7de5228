import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Why a test that needs `program` is skipped; false if it is here. `npm test` says such reasons in the end. */
export function missing(program: string): string | false {
  const folders = process.env['PATH']?.split(delimiter) ?? [];
  return !folders.some((folder) => existsSync(join(folder, program))) && `${program} is not installed`;
}

/** The same for a test that only root can run. */
export const notRoot = process.getuid?.() !== 0 && 'only root can run it';
