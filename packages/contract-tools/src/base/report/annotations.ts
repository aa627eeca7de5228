/**
 * Writes results as annotations of GitHub Actions, which it shows beside the lines of a pull request
 * ("Workflow commands for GitHub Actions").
 */
import { firstOfCause, type SafeItem, type SafeResults } from './results.js';

export function annotations({ items, remarks, conclusion }: SafeResults): string {
  // GitHub shows only ten annotations of each step.
  const lines = new Set(firstOfCause(items).flatMap(annotation));
  return [...lines, ...remarks, ...conclusion].join('\n');
}

function annotation({ verdict, operation, place, at, message, details }: SafeItem): string[] {
  if (verdict === 'passed') return [];
  const level = verdict === 'failed' ? 'error' : 'notice';
  const text = [`${operation}: ${message}`, ...details].join('\n');
  // What was removed has its place in the old contract, and no line of the pull request shows that.
  if (at === undefined) return [`::${level}::${escaped(place === '' ? text : `${place} ${text}`)}`];
  const file = escaped(at.file).replaceAll(':', '%3A').replaceAll(',', '%2C');
  return [`::${level} file=${file},line=${at.line},col=${at.column}::${escaped(text)}`];
}

function escaped(message: string): string {
  return message.replaceAll('%', '%25').replaceAll('\n', '%0A');
}
