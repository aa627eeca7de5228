/**
 * Writes results as annotations of GitHub Actions, which it shows beside the lines of a pull request
 * ("Workflow commands for GitHub Actions").
 */
import { filePlace, type Item, type Results } from './results.js';

export function annotations({ items, remarks, conclusion }: Results): string {
  return [...items.flatMap(annotation), ...remarks, conclusion].join('\n');
}

function annotation({ verdict, operation, place, message, details }: Item): string[] {
  if (verdict === 'passed') return [];
  const level = verdict === 'failed' ? 'error' : 'notice';
  const text = [`${operation}: ${message}`, ...details].join('\n');
  const at = filePlace(place);
  // What was removed has its place in the old contract, and no line of the pull request shows that.
  if (at === undefined) return [`::${level}::${escaped(place === '' ? text : `${place} ${text}`)}`];
  return [`::${level} file=${at.file},line=${at.line},col=${at.column}::${escaped(text)}`];
}

function escaped(message: string): string {
  return message.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
}
