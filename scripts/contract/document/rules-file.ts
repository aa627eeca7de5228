/**
 * The file of rules beside a document: that of `openapi/plants.yaml` is `openapi/plants.rules.yaml`. The check
 * reads which rules hold from it, and lint for which consumers it warns of traps.
 */
import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';

/** Lint reads this line, and the check passes over it. */
export const consumersLine = 'consumers';

export interface RulesFile {
  readonly file: string;
  /** What stands behind each name; nothing if there is no such file. */
  readonly lines: Readonly<Record<string, unknown>>;
}

/** @throws {YAMLParseError} if the file is not YAML */
export async function readRulesFile(contractFile: string): Promise<RulesFile> {
  const file = contractFile.replace(/(\.[a-z]+)?$/i, '.rules.yaml');
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  const written: unknown = parse(text);
  return { file, lines: typeof written === 'object' && written !== null ? { ...written } : {} };
}
