import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { LineCounter, parseDocument } from 'yaml';
import { projectFolder } from '../../src/project.js';
import { unknownExampleMembers } from './example-members.js';

export interface Problem {
  /** Relative to the working directory. */
  readonly file: string;
  /** Both count from 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning' | 'info' | 'hint';
  /** With the linter in front, because both have rules of the same name: `redocly/operation-summary`. */
  readonly rule: string;
  readonly message: string;
}

/**
 * All problems that Redocly's and Spectral's rules and this project's own find in an OpenAPI document, sorted by
 * line. The rules are always those of this project. Invalid YAML does not reach the linters: they would report one mistake dozens
 * of times.
 */
export async function lintContract(file: string): Promise<Problem[]> {
  const text = await readFile(file, 'utf8');
  const fault = yamlFault(file, text);
  if (fault !== undefined) return [fault];
  const problems = await Promise.all([
    redocly(file, text).catch(gaveUp(file, 'redocly')),
    spectral(file, text).catch(gaveUp(file, 'spectral')),
    unknownExampleMembers(file, text),
  ]);
  return problems.flat().sort((a, b) => a.line - b.line || a.column - b.column);
}

export function lineOf({ file, line, column, severity, rule, message }: Problem): string {
  return `${file}:${line}:${column} ${severity} ${rule} ${message.replace(/\s+/g, ' ').trim()}`;
}

/** Only the first fault, because the others mostly follow from it. */
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

/** Both linters throw if the YAML is too far from OpenAPI, such as `openapi: 3.0` or an empty `paths:`. */
function gaveUp(file: string, linter: string): (error: unknown) => Problem[] {
  return (error) => [
    {
      file: relative(process.cwd(), file),
      line: 1,
      column: 1,
      severity: 'error',
      rule: `${linter}/gave-up`,
      message: error instanceof Error ? error.message : String(error),
    },
  ];
}

// Each linter is imported at its first use, because it loads slowly and `npm run dev` may never lint.

async function redocly(file: string, text: string): Promise<Problem[]> {
  const { getLineColLocation, lintConfig, lintFromString, loadConfig } = await import(
    '@redocly/openapi-core'
  );
  const config = await loadConfig({ configPath: join(projectFolder, 'redocly.yaml') });
  const found = await Promise.all([
    // Redocly ignores a misspelt rule in redocly.yaml silently. Spectral refuses it by itself.
    lintConfig({ config }),
    lintFromString({ source: text, absoluteRef: file, config }),
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

async function spectral(file: string, text: string): Promise<Problem[]> {
  const [{ Spectral }, rules] = await Promise.all([import('@stoplight/spectral-core'), spectralRules()]);
  const linter = new Spectral();
  linter.setRuleset(rules);
  const found = await linter.run(text);
  return found.map(({ range, severity, code, message }) => ({
    file: relative(process.cwd(), file),
    line: range.start.line + 1,
    column: range.start.character + 1,
    severity: severities[severity],
    rule: `spectral/${code}`,
    message,
  }));
}

/** In the order of Spectral's numbers. */
const severities = ['error', 'warning', 'info', 'hint'] as const;

async function spectralRules(): Promise<RulesetDefinition> {
  // A computed path, because JavaScript is not part of the TypeScript project. Spectral checks the rules.
  const rules: { default: RulesetDefinition } = await import(
    pathToFileURL(join(projectFolder, '.spectral.js')).href
  );
  return rules.default;
}
