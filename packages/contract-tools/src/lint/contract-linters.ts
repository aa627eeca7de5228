/**
 * Runs all linters on an OpenAPI document. Invalid YAML does not
 * reach Redocly, which would report one mistake dozens of times.
 */
import { readFile } from 'node:fs/promises';
import { relative } from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import { ContractError, visible } from '../../../exact-json/index.js';
import { Node } from '../document/node.js';
import { type ApiDocument, readDocument } from '../document/read-document.js';
import { readYaml } from '../document/yaml.js';
import { unknownExampleMembers } from './example-members.js';
import type { Problem } from './problem.js';
import { slowPatterns } from './slow-patterns.js';

/** What the linters make of a document. A large one takes seconds to read, so it is read once for all of them. */
export interface Linted {
  /** The problems that Redocly's rules and this folder's own find, sorted by line. */
  readonly problems: Problem[];
  /** What does not break a rule: patterns of which nobody knows how long a text can take them. */
  readonly notes: Problem[];
  /** Undefined if it is not valid, or if one of its patterns must not be asked. */
  readonly document: ApiDocument | undefined;
}

/**
 * @param rules the path of the configuration that names Redocly's rules
 * @throws {Error} with the code of the file system if the file cannot be read
 */
export async function lintContract(file: string, rules: string): Promise<Linted> {
  const text = await readFile(file, 'utf8');
  const document = validDocument(file, text);
  const fault = document === undefined ? yamlFault(file, text) : undefined;
  if (fault !== undefined) return { problems: [fault], notes: [], document };
  const slow = await slowPatterns(document?.root ?? rootOf(file, text));
  const errors = slow.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) return { problems: errors, notes: [], document: undefined };
  const own = document === undefined ? [] : unknownExampleMembers(document.root);
  const problems = [...own, ...(await redocly(file, text, rules).catch(gaveUp(file)))];
  return { problems: problems.sort((a, b) => a.line - b.line || a.column - b.column), notes: slow, document };
}

/** @returns undefined if the document is not valid, which Redocly reports */
function validDocument(file: string, text: string): ApiDocument | undefined {
  try {
    return readDocument(text, relative(process.cwd(), file));
  } catch (error) {
    if (error instanceof ContractError) return undefined;
    throw error;
  }
}

/** The top of a document that is not valid. Text that is not even a map has no patterns. */
function rootOf(file: string, text: string): Node {
  try {
    return Node.root(readYaml(text, relative(process.cwd(), file)));
  } catch (error) {
    if (error instanceof ContractError) return Node.root({ value: null, place: () => file });
    throw error;
  }
}

/** Writes a problem on one line, as editors and terminals link it: `file:line:column`. */
export function lineOf({ file, line, column, severity, rule, message }: Problem): string {
  return visible(`${file}:${line}:${column} ${severity} ${rule} ${message.replace(/\s+/g, ' ').trim()}`);
}

/** Returns only the first fault of the YAML, because the others mostly follow from it. */
function yamlFault(file: string, text: string): Problem | undefined {
  const lines = new LineCounter();
  const { errors, warnings } = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [fault] = [...errors, ...warnings];
  if (fault === undefined) return undefined;
  const { line, col } = lines.linePos(fault.pos[0]);
  return {
    file: relative(process.cwd(), file),
    line,
    column: col,
    severity: fault.name === 'YAMLWarning' ? 'warning' : 'error',
    rule: `yaml/${fault.code}`,
    message: fault.message,
  };
}

/**
 * Makes a problem of what Redocly throws if the YAML is too far from OpenAPI, such as `openapi: 3.0` or an
 * empty `paths:`.
 */
function gaveUp(file: string): (error: unknown) => Problem[] {
  return (error) => [
    {
      file: relative(process.cwd(), file),
      line: 1,
      column: 1,
      severity: 'error',
      rule: 'redocly/gave-up',
      message: error instanceof Error ? error.message : String(error),
    },
  ];
}

async function redocly(file: string, text: string, rules: string): Promise<Problem[]> {
  // Imported at its first use, because it loads slowly and `npm run dev` may never lint.
  const { getLineColLocation, lintConfig, lintFromString, loadConfig } = await import(
    '@redocly/openapi-core'
  );
  const config = await loadConfig({ configPath: rules });
  const found = await Promise.all([
    // Redocly ignores a misspelt rule silently.
    lintConfig({ config }),
    // Redocly takes a "#" or a "%" in the path of a folder for a part of a URL.
    lintFromString({ source: text, absoluteRef: relative(process.cwd(), file), config }),
  ]);
  return found.flat().map(({ location, severity, ruleId, message }) => {
    const [place] = location;
    const start = place && getLineColLocation(place).start;
    return {
      file: relative(process.cwd(), place?.source.absoluteRef ?? file),
      line: start?.line ?? 1,
      column: start?.col ?? 1,
      severity: severity === 'warn' ? 'warning' : severity,
      rule: `redocly/${ruleId}`,
      message,
    };
  });
}
