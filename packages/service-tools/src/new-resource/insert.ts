/**
 * Adds the parts of a resource to files that exist. The YAML is written by hand, so it is not written anew:
 * lines are inserted, and the comments, the order and the form of the others stay.
 */
import { isMap, isNode, parseDocument } from 'yaml';
import { StartError } from '../../../service/layer.js';

/** What is inserted at the end of a list or map of the YAML. */
export interface Part {
  /** The names that lead to the list or map, such as `['components', 'schemas']`. */
  readonly path: readonly string[];
  readonly lines: string;
}

/**
 * @returns the YAML with the parts
 * @throws {StartError} if the YAML does not have the place of one, in block style
 */
export function insertIntoYaml(yaml: string, parts: readonly Part[]): string {
  const text = yaml.endsWith('\n') ? yaml : `${yaml}\n`;
  const document = parseDocument(text);
  const places = parts.map(({ path, lines }) => {
    const node = document.getIn(path);
    if (!isNode(node) || !node.range || ('flow' in node && node.flow === true))
      throw new StartError(`The YAML has no block "${path.join('.')}": add it, with at least one entry.`);
    return { at: endOfLine(text, node.range[1]), lines };
  });
  return places
    .sort((one, other) => other.at - one.at)
    .reduce((changed, { at, lines }) => changed.slice(0, at) + lines + changed.slice(at), text);
}

/** @returns whether the YAML has this path of names */
export function hasEntry(text: string, path: readonly string[]): boolean {
  const parent = parseDocument(text).getIn(path.slice(0, -1));
  return isMap(parent) && parent.has(path.at(-1));
}

/** A block ends with the line break of its last line, or before it. The text ends with one. */
function endOfLine(text: string, at: number): number {
  if (text[at - 1] === '\n') return at;
  return text.indexOf('\n', at) + 1;
}

/**
 * Names a resource in the file that defines the service, as the last one. The formatter puts its import in order.
 *
 * @throws {StartError} if the file has no list of resources
 */
export function insertIntoDefinition(text: string, items: string, resource: string): string {
  const end = /^( *)resources: \{\n(?:\1 .*\n)+/m.exec(text);
  if (end === null)
    throw new StartError(
      'The file that calls serviceOf has no "resources: {" with a line for each resource.',
    );
  const [block, indent = ''] = end;
  const line = `${indent}  ${items}: ${resource},\n`;
  const statement = `import { ${resource} } from './${items}/operations.js';\n`;
  // Short text: it is a file of the project. The first import may stand below a comment.
  return text.replace(block, () => block + line).replace(/^import /m, () => `${statement}import `);
}
