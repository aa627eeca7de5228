/**
 * The parts of the plant store's contract that are about no plants: tokens, the Error body, headers, and the failures that
 * operations share. A new service begins with them, so they are said once, in openapi/plants.yaml, which the package
 * carries.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isNode, parseDocument } from 'yaml';
import { sourceFolder } from '../../../service/layer.js';
import type { Names } from '../new-resource/names.js';

/** The root of the project or of the installed package: both have the contract at the same path. */
const root = join(sourceFolder(import.meta.dirname), '..', '..', '..', '..');
const plants = join(root, 'openapi', 'plants.yaml');

const pathsOfParts = {
  securitySchemes: ['components', 'securitySchemes'],
  Error: ['components', 'schemas', 'Error'],
  headers: ['components', 'headers'],
  responses: ['components', 'responses'],
} as const;

type Part = keyof typeof pathsOfParts;

/** @returns the lines of each part, whose examples are about the resource of the names instead of plants */
export async function sharedParts(names: Names, title: string): Promise<Record<Part, string>> {
  const text = await readFile(plants, 'utf8');
  const document = parseDocument(text);
  const linesOf = (part: Part): string => {
    const node = document.getIn(pathsOfParts[part], true);
    if (!isNode(node) || !node.range) throw new Error(`${plants} has no ${pathsOfParts[part].join('.')}.`);
    const [start, end] = node.range;
    return (
      text
        .slice(text.lastIndexOf('\n', start) + 1, end)
        .trimEnd()
        .replaceAll('A plant with', `${names['A item']} with`)
        .replaceAll('no plant with', `no ${names.item} with`)
        .replaceAll('Plant Store', title)
        // The ids of a resource of the templates begin with 1.
        .replaceAll('from -9223372036854775808', 'from 1')
    );
  };
  return {
    securitySchemes: linesOf('securitySchemes'),
    Error: linesOf('Error'),
    headers: linesOf('headers'),
    responses: linesOf('responses'),
  };
}
