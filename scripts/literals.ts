/**
 * Judges the regular expressions of the code that ships. Texts come from outside, and the time that a text takes an
 * expression must grow no faster than its length: `/\s+$/` takes 2 s for 64 KiB of spaces that end otherwise.
 *
 * An expression whose time grows faster may stay if its texts are short. A comment beside the literal then says why:
 *
 *     // Short text: it is a path of the contract, which its author has written.
 */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ts from 'typescript';
import { growthOf } from '../packages/contract-tools/lint.js';
import { projectFolder } from '../packages/kit/index.js';

export interface Judgement {
  /** A sentence with its place for each expression that a long text can hold up. */
  readonly faults: readonly string[];
  /** The same for each expression of which nobody knows. */
  readonly notes: readonly string[];
}

/** The sources that ship: the tools' servers that break on purpose, and the tests, do not. */
export async function shippedSources(): Promise<string[]> {
  const folders = ['src', 'packages'].map(async (folder) =>
    (await readdir(join(projectFolder, folder), { recursive: true })).map((name) => `${folder}/${name}`),
  );
  return (await Promise.all(folders))
    .flat()
    .filter(
      (name) =>
        name.endsWith('.ts') && !/^packages\/(?:kit|lab)\/|\/(?:faults|test)\/|node_modules/.test(name),
    )
    .sort();
}

/** @param names paths of sources in the folder */
export async function judgeLiterals(folder: string, names: readonly string[]): Promise<Judgement> {
  const faults: string[] = [];
  const notes: string[] = [];
  for (const name of names) {
    for (const { place, source, flags, isExcused } of literalsOf(
      name,
      await readFile(join(folder, name), 'utf8'),
    )) {
      if (isExcused) continue;
      const growth = await growthOf(source, flags);
      const where = `${place}: /${source}/${flags}`;
      if (growth.kind === 'unknown') notes.push(`${where}: nobody knows how its time grows: ${growth.why}.`);
      if (growth.kind === 'exponential')
        faults.push(
          `${where} holds the process, as with ${growth.example}: no two ways through it may match the same text.`,
        );
      if (growth.kind === 'polynomial')
        faults.push(
          `${where}: its time grows with the length of the text to the power of ${growth.degree}: rewrite it, or say beside it why its text is short: "// Short text: …".`,
        );
    }
  }
  return { faults, notes };
}

interface Literal {
  readonly place: string;
  readonly source: string;
  readonly flags: string;
  readonly isExcused: boolean;
}

function literalsOf(name: string, text: string): Literal[] {
  const file = ts.createSourceFile(name, text, ts.ScriptTarget.Latest, true);
  const lines = text.split('\n');
  const found: Literal[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) {
      const { line, character } = file.getLineAndCharacterOfPosition(node.getStart());
      const end = node.text.lastIndexOf('/');
      found.push({
        place: `${name}:${line + 1}:${character + 1}`,
        source: node.text.slice(1, end),
        flags: node.text.slice(end + 1),
        isExcused: [line, lineOfStatement(node, file)].some((one) => hasExcuse(lines, one)),
      });
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

/** The line on which the statement begins that has a node. A long literal stands below it. */
function lineOfStatement(node: ts.Node, file: ts.SourceFile): number {
  let statement = node;
  while (!ts.isStatement(statement)) statement = statement.parent;
  return file.getLineAndCharacterOfPosition(statement.getStart()).line;
}

/** Whether the comment on the line, or the one that ends above it, says why the text is short. */
function hasExcuse(lines: readonly string[], line: number): boolean {
  const excuse = /(?:\/\/|\*) .*\bShort text: \S/;
  if (excuse.test(lines[line] ?? '')) return true;
  for (let above = line - 1; /^\s*(?:\/\/|\/?\*)/.test(lines[above] ?? ''); above--)
    if (excuse.test(lines[above] ?? '')) return true;
  return false;
}
