import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** @returns the version of the package to which this file belongs, wherever in it the compiled file is */
export function toolsVersion(): string {
  const { version } = JSON.parse(readFileSync(manifestAbove(import.meta.dirname), 'utf8'));
  return String(version);
}

function manifestAbove(folder: string): string {
  const file = join(folder, 'package.json');
  const above = dirname(folder);
  return existsSync(file) || above === folder ? file : manifestAbove(above);
}
