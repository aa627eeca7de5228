/**
 * Runs tables of documents that the service refuses, each with its fault:
 *
 * ```ts
 * await refusesDocuments(t, starting, documentOfQuery, {
 *   '{ type: string, default: §12 }': 'look, query/value: the default must be string.',
 * });
 * ```
 *
 * The sign § is not part of a document: it marks the place that the message must begin with.
 */
import type { Test } from 'tap';
import { checkContract, failurePolicy } from '../../../../service-tools/index.js';
import { contractOf, faultOf, routed } from './contract.js';

/** A step that refuses a document. */
export type Step = (t: Test, yaml: string) => Promise<unknown>;

/** Reads the document, as every command does. */
export const reading: Step = contractOf;

/** Gives the operations routes, as the start of the service does. */
export const starting: Step = async (t, yaml) => routed(await contractOf(t, yaml), {});

/** Holds the document against what this service can answer, as codegen does. */
export const checking: Step = async (t, yaml) => checkContract(await contractOf(t, yaml), failurePolicy);

/**
 * Asserts that `step` refuses each document.
 *
 * @param yamlOf writes the document around the text of a row
 * @param table the text of each row, with the message after its place: all of it, or what it must match
 */
export async function refusesDocuments(
  t: Test,
  step: Step,
  yamlOf: (text: string) => string,
  table: Readonly<Record<string, string | RegExp>>,
): Promise<void> {
  for (const [text, expected] of Object.entries(table)) {
    const marked = yamlOf(text);
    const fault = await faultOf(t, step(t, marked.replace('§', '')));
    const place = marked.includes('§') ? `contract.yaml:${positionOf(marked)}: ` : '';
    t.equal(fault.slice(0, place.length), place, text);
    const message = fault.slice(place.length);
    if (typeof expected === 'string') t.equal(message, expected, text);
    else t.match(message, expected, text);
  }
}

/** The line and the column of the §, counted from 1. */
function positionOf(marked: string): string {
  const lines = marked.slice(0, marked.indexOf('§')).split('\n');
  return `${lines.length}:${(lines.at(-1) ?? '').length + 1}`;
}
