import type { Contract } from '../contract/contract.js';
import { withCommonHeadersOnce } from './common-headers.js';

/**
 * Writes the document in the form that the page needs, as a text of JSON. The page reads it by JSON.parse,
 * which rounds large integers, so their digits stand beside them as `x-exact-…`. A default that would be
 * rounded becomes a text, because the page fills it in.
 */
export function pageDocument({ document }: Contract): string {
  return JSON.stringify(withCommonHeadersOnce(document), (_name, value: unknown) =>
    typeof value === 'object' && value !== null ? shown(value) : value,
  );
}

function shown(node: object): object {
  if ('x-exact-default' in node) return { ...node, default: node['x-exact-default'] };
  if (!('x-limits' in node)) return node;
  const description = 'description' in node ? node.description : '';
  return { ...node, description: `${description}\n\n${limitsInWords(Object(node['x-limits']))}` };
}

/** @returns a sentence for the description of a request body, each of which has both limits */
function limitsInWords({ bytes, depth }: Readonly<Record<string, unknown>>): string {
  return `At most ${bytes} bytes, in which arrays and objects nest at most ${depth} deep.`;
}
