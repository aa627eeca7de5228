import { basename, dirname, join } from 'node:path';

/** What a user of this program types for tokens. */
export const tokenCommand = tokenCommandOf(process.argv[1]);

/** @param program the path by which it was started; npm and the image link `plant-store` */
export function tokenCommandOf(program = ''): string {
  if (!/^plant-store(?:\.js)?$/.test(basename(program))) return 'npm run --silent token --';
  const isLocal = dirname(program).endsWith(join('node_modules', '.bin'));
  return isLocal ? 'npx plant-store token' : 'plant-store token';
}
