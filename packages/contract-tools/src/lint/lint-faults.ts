/**
 * Keeps one of several problems that report the same fault. An operation without protection breaks up to four
 * rules, and four lines about one edit hide the others.
 */
import type { Problem } from './problem.js';

/** These rules report the same fault. The first has the best message. */
const securityRules = [
  'redocly/security-defined',
  'redocly/rule/no-public-requirement',
  'redocly/rule/no-public-document',
  'redocly/rule/no-public-operation',
];

export function isSecurityRule(rule: string): boolean {
  return securityRules.includes(rule);
}

/** Ranks the rule's message among those of the rules that report a missing protection: 0 is best. */
export function rankOfRule(rule: string): number {
  return Math.max(securityRules.indexOf(rule), 0);
}

/** Keeps one problem for each fault of a line: the one with the best message. */
export function onePerFault(problems: readonly Problem[]): Problem[] {
  return problems.filter((problem, index) =>
    problems.every((other, at) => at === index || !isToldBy(problem, other, at < index)),
  );
}

function isToldBy(problem: Problem, other: Problem, isBefore: boolean): boolean {
  if (problem.line !== other.line) return false;
  // A component is reported once for each reference to it.
  if (problem.rule === other.rule)
    return problem.column === other.column && problem.message === other.message && isBefore;
  const areOfSecurity = isSecurityRule(problem.rule) && isSecurityRule(other.rule);
  return areOfSecurity && rankOfRule(other.rule) < rankOfRule(problem.rule);
}
