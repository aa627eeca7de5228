import type { ApiDocument } from '../document/read-document.js';
import type { Change } from './change.js';
import { versionOf } from './version.js';

/**
 * Lists the omissions of the changelog, one sentence each. The section of the new version must name every
 * operation that changed since an older contract, and say "breaking" if something breaks.
 *
 * @param name the name of the file, for the sentences
 */
export function changelogFaults(
  { name, text }: { readonly name: string; readonly text: string },
  changes: readonly Change[],
  { root }: Pick<ApiDocument, 'root'>,
): string[] {
  const version = versionOf(root);
  const [newest = ''] = text.split(/^## /m).slice(1);
  if (newest.split('\n')[0]?.trim() !== version)
    return [`${name} must begin with a section "## ${version}".`];
  const operations = new Set(changes.map(({ operation }) => operation));
  const faults = [...operations]
    .filter((operation) => operation !== 'document' && !newest.includes(`\`${operation}\``))
    .map((operation) => `${name}, section ${version}, must name \`${operation}\`, which changed.`);
  if (changes.some(({ breaking }) => breaking) && !/\bbreaking\b/i.test(newest))
    faults.push(`${name}, section ${version}, must say what is breaking.`);
  return faults;
}
