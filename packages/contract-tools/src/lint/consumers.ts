/**
 * Warns of traps for the consumers of a contract. A project says in its rules file which tools its consumers
 * use, for example `consumers: [prism, hey-api]`. Each trap that the document shows, and that hurts one of them,
 * becomes one warning, at the first place.
 */
import { isScalar, LineCounter, parseDocument, visit } from 'yaml';
import { ContractError } from '../../../exact-json/index.js';
import { isReference, walk } from '../document/grammar.js';
import { nearestTo } from '../document/nearest.js';
import type { ApiDocument } from '../document/read-document.js';
import { readRulesFile } from '../document/rules-file.js';
import { type Problem, problemAt } from './problem.js';
import { type Trap, traps } from './traps.js';
import { yamlReaders, yamlTraps } from './yaml-traps.js';

/** The names that a line `consumers` may have, in the order of the alphabet. */
export const consumerNames: readonly string[] = [
  ...new Set([
    ...traps.flatMap(({ seen }) => seen.flatMap(({ tools }) => Object.keys(tools))),
    ...yamlReaders.map(({ name }) => name),
  ]),
].sort();

/**
 * @returns the consumers that the rules file beside a document names
 * @throws {ContractError} if it names one that no trap knows, or if the file cannot be read (rules-file.ts)
 */
export async function consumersOf(contractFile: string): Promise<ReadonlySet<string>> {
  const { file, consumers } = await readRulesFile(contractFile);
  const unknown = consumers.find((name) => !consumerNames.includes(name));
  if (unknown !== undefined) {
    throw new ContractError(
      `${file}: "${unknown}" is not a consumer whose traps are known: did you mean ${nearestTo(unknown, consumerNames).join(' or ')}? All are ${consumerNames.join(', ')}.`,
    );
  }
  return new Set(consumers);
}

/** @returns a warning for each trap that the document shows and that hurts one of the consumers */
export function trapWarnings(document: ApiDocument, consumers: ReadonlySet<string>): Problem[] {
  if (consumers.size === 0) return [];
  return [...openApiWarnings(document, consumers), ...yamlWarnings(document, consumers)];
}

function openApiWarnings({ root }: ApiDocument, consumers: ReadonlySet<string>): Problem[] {
  const objects = [...walk(root.value)].flatMap(({ kind, path, value }) => {
    // What a reference leads to stands elsewhere in the document.
    const node = isReference(value) ? undefined : root.at(...path);
    return node === undefined ? [] : [{ kind, node }];
  });
  return traps.flatMap((trap) => {
    const harm = harmOf(trap, consumers);
    if (harm === undefined) return [];
    const places = objects.flatMap(({ kind, node }) => trap.placesIn?.(kind, node) ?? []);
    return warning(
      trap.id,
      harm,
      trap.instead,
      places.map(({ place }) => place),
    );
  });
}

/** @returns what the consumers do; undefined if none of them is hurt */
function harmOf({ seen }: Trap, consumers: ReadonlySet<string>): string | undefined {
  const harms = seen.flatMap(({ tools, does, isHarmless }) => {
    const hurt = Object.entries(tools).filter(([tool]) => consumers.has(tool));
    return hurt.length === 0 || isHarmless ? [] : [`${namesOf(hurt)}: ${does}.`];
  });
  return harms.length === 0 ? undefined : harms.join(' ');
}

/** @returns `orval 7.13, kubb 4.39` */
function namesOf(tools: readonly (readonly [name: string, version: string])[]): string {
  return tools.map((tool) => tool.join(' ')).join(', ');
}

function yamlWarnings({ text, name }: ApiDocument, consumers: ReadonlySet<string>): Problem[] {
  const lines = new LineCounter();
  const plain: { readonly source: string; readonly place: string }[] = [];
  visit(parseDocument(text, { lineCounter: lines, stringKeys: true }), {
    Scalar(_key, scalar) {
      if (!isScalar(scalar) || scalar.type !== 'PLAIN' || scalar.source === undefined) return;
      const { line, col } = lines.linePos(scalar.range?.[0] ?? 0);
      plain.push({ source: scalar.source, place: `${name}:${line}:${col}` });
    },
  });
  return yamlTraps.flatMap(({ written, read, instead, pattern }) => {
    const hurt = yamlReaders.filter(
      ({ name: reader }) => consumers.has(reader) && read[reader] !== read.yaml,
    );
    if (hurt.length === 0) return [];
    const harm = hurt
      .map(({ name: reader, title }) => `${title}: ${written} is read as ${read[reader]}.`)
      .join(' ');
    const places = plain.filter(({ source }) => pattern.test(source)).map(({ place }) => place);
    return warning('yaml', harm, instead, places);
  });
}

/** @returns one warning at the first place, which counts the others; none if there is no place */
function warning(id: string, harm: string, instead: string, places: readonly string[]): Problem[] {
  const [first, ...others] = [...new Set(places)];
  if (first === undefined) return [];
  const more = others.length === 0 ? '' : ` (and ${others.length} more)`;
  return [
    { ...problemAt(first, `trap-${id}`, `${harm} Write instead: ${instead}.${more}`), severity: 'warning' },
  ];
}
