/**
 * The templates that new-resource and new-service fill. Those of the folder `template` are the parts of a resource, and
 * those of `template/service` what a service has beside its resources.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { sourceFolder } from '../../../service/layer.js';
import type { Names } from './names.js';

const folder = join(sourceFolder(import.meta.dirname), 'template');

/** What else the templates of a resource need: the name of the contract, and the door of the service. */
type Surroundings = Readonly<Record<'contract' | 'service', string>>;

/**
 * @param values what the placeholders of the template, such as `{{item}}`, stand for
 * @returns the template with its placeholders replaced
 */
export async function fill(template: string, values: Readonly<Record<string, string>>): Promise<string> {
  const text = await readFile(join(folder, template), 'utf8');
  return text.replaceAll(/\{\{([\w -]+)\}\}/g, (placeholder, name: string) => values[name] ?? placeholder);
}

/**
 * @param target the folder of the resource
 * @param number that of its migration, such as `0002`
 * @returns the texts of the files of a resource, by their paths
 */
export async function resourceFiles(
  target: string,
  names: Names & Surroundings,
  number: string,
): Promise<[file: string, text: string][]> {
  return [
    [join(target, 'table.ts'), await fill('table.ts.text', names)],
    [join(target, 'operations.ts'), await fill('operations.ts.text', names)],
    [join(target, 'migrations', `${number}-${names.items}.sql`), await fill('migration.sql', names)],
  ];
}
